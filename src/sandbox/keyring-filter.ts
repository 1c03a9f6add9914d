/**
 * A seccomp filter that takes the kernel's keys away from a sandbox. Namespaces do not: a program in a sandbox is in the
 * session keyring of the person's login, and could read the keys of file systems, Kerberos or ecryptfs there. Pure.
 */

/** The calls add_key, request_key and keyctl, which have consecutive numbers everywhere. */
interface Architecture {
  /** AUDIT_ARCH of linux/audit.h */
  readonly id: number
  readonly firstCall: number
}

/** Those of Node's two kernels, with the 32-bit programs that they run. */
const architectures: readonly Architecture[] = [
  { id: 0xc000003e, firstCall: 248 }, // x86-64
  { id: 0x40000003, firstCall: 286 }, // i386
  { id: 0xc00000b7, firstCall: 217 }, // arm64
  { id: 0x40000028, firstCall: 309 }, // arm
]
const keyCalls = 3

/** The kernel's bit for the x32 calls of x86-64. The other architectures have no calls above it. */
const withoutX32 = 0xbfffffff

/** Of struct seccomp_data. */
const offsetOf = { call: 0, architecture: 4 }

/** Of linux/bpf_common.h and linux/seccomp.h. */
const load = 0x20
const and = 0x54
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const answer = 0x06
const allowed = 0x7fff0000
const notPermitted = 0x00050001

/** For `bwrap --seccomp`. */
export function keyringFilter(): Buffer {
  return Buffer.concat([
    instruction(load, offsetOf.architecture),
    ...architectures.flatMap(({ id, firstCall }) => [
      // Otherwise, the next architecture.
      instruction(jumpIfEqual, id, { otherwise: 6 }),
      instruction(load, offsetOf.call),
      instruction(and, withoutX32),
      instruction(jumpIfAtLeast, firstCall, { otherwise: 2 }),
      instruction(jumpIfAtLeast, firstCall + keyCalls, { then: 1 }),
      instruction(answer, notPermitted),
      instruction(answer, allowed),
    ]),
    // The numbers of an unknown architecture mean other calls.
    instruction(answer, notPermitted),
  ])
}

/** `then` and `otherwise`: how many instructions a jump skips. */
function instruction(code: number, value: number, { then = 0, otherwise = 0 } = {}): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(then, 2)
  bytes.writeUInt8(otherwise, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
