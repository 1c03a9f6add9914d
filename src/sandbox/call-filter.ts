/**
 * The seccomp filter of every sandbox, against what namespaces leave open. Pure.
 *
 * - The kernel's keys: a program in a sandbox is in the session keyring of the person's login, and could read the keys
 *   of Kerberos and of file systems there.
 * - Control groups: in a cgroup namespace of its own, a program that may make sandboxes can mount the group of the hub.
 *   If the group belongs to the hub's user, it could freeze the hub, or lift its own limits.
 */

interface Architecture {
  /** AUDIT_ARCH of linux/audit.h */
  readonly id: number
  /** add_key. request_key and keyctl follow it everywhere. */
  readonly addKey: number
  readonly clone: number
  readonly unshare: number
}

/** Those for which there is a Node, with the 32-bit programs that their kernels run. */
const architectures: readonly Architecture[] = [
  { id: 0xc000003e, addKey: 248, clone: 56, unshare: 272 }, // x86-64
  { id: 0x40000003, addKey: 286, clone: 120, unshare: 310 }, // i386
  { id: 0xc00000b7, addKey: 217, clone: 220, unshare: 97 }, // arm64
  { id: 0x40000028, addKey: 309, clone: 120, unshare: 337 }, // arm
]

/** The same on all of them. Its flags are in memory, which a filter cannot read: libraries use `clone` without it. */
const clone3 = 435

/** The kernel's bit for the x32 calls of x86-64. The other architectures have no calls above it. */
const withoutX32 = 0xbfffffff

/** Of linux/sched.h */
const cgroupNamespace = 0x02000000

/** Of struct seccomp_data. The flags are the lower half of the first argument. */
const offsetOf = { call: 0, architecture: 4, flags: 16 }

/** Of linux/bpf_common.h */
const code = { load: 0x20, and: 0x54, jumpIfEqual: 0x15, jumpIfSet: 0x45, answer: 0x06 }

/** Of linux/seccomp.h and errno.h */
const allow = 0x7fff0000
const notPermitted = 0x00050001
const notImplemented = 0x00050026

/** A jump goes forward to the instruction with the label, or else to the next instruction. */
interface Instruction {
  readonly label?: string
  readonly code: number
  readonly value: number
  readonly ifSo?: string
  readonly ifNot?: string
}

/** For `bwrap --seccomp`. */
export function callFilter(): Buffer {
  return assemble([
    { code: code.load, value: offsetOf.architecture },
    ...architectures.flatMap(({ id, addKey, clone, unshare }, index): readonly Instruction[] => [
      { label: `architecture ${index}`, code: code.jumpIfEqual, value: id, ifNot: `architecture ${index + 1}` },
      { code: code.load, value: offsetOf.call },
      { code: code.and, value: withoutX32 },
      ...[addKey, addKey + 1, addKey + 2].map((call) => ({ code: code.jumpIfEqual, value: call, ifSo: 'refuse' })),
      { code: code.jumpIfEqual, value: clone3, ifSo: 'miss' },
      { code: code.jumpIfEqual, value: clone, ifSo: 'look at flags' },
      { code: code.jumpIfEqual, value: unshare, ifSo: 'look at flags', ifNot: 'allow' },
    ]),
    // The numbers of an unknown architecture mean other calls.
    { label: `architecture ${architectures.length}`, code: code.answer, value: notPermitted },
    { label: 'look at flags', code: code.load, value: offsetOf.flags },
    { code: code.jumpIfSet, value: cgroupNamespace, ifSo: 'refuse' },
    { label: 'allow', code: code.answer, value: allow },
    { label: 'refuse', code: code.answer, value: notPermitted },
    { label: 'miss', code: code.answer, value: notImplemented },
  ])
}

/** The program as the kernel takes it. Jumps say how many instructions they skip. */
function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, value, ifSo, ifNot }] of program.entries()) {
    const skipped = (target: string | undefined) =>
      target === undefined ? 0 : program.findIndex(({ label }) => label === target) - index - 1
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(skipped(ifSo), index * 8 + 2)
    bytes.writeUInt8(skipped(ifNot), index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
