import { expect, test } from 'vitest'
import { keyringFilter } from './keyring-filter.ts'

const allowed = 0x7fff0000
const notPermitted = 0x00050001

test.each([
  ['x86-64', 0xc000003e, [248, 249, 250]],
  ['i386', 0x40000003, [286, 287, 288]],
  ['arm64', 0xc00000b7, [217, 218, 219]],
  ['arm', 0x40000028, [309, 310, 311]],
] as const)('refuses the calls for keys, and no other call, on %s', (_name, architecture, expected) => {
  const calls = Array.from({ length: 1_000 }, (_, call) => call)
  expect(calls.filter((call) => answerTo(architecture, call) !== allowed)).toEqual(expected)
})

test('refuses the calls for keys as a program for x32 makes them, and all of an unknown architecture', () => {
  for (const call of [248, 249, 250]) expect(answerTo(0xc000003e, call | 0x40000000)).toBe(notPermitted)
  expect(answerTo(0xc00000f3, 63)).toBe(notPermitted)
})

/** The kernel's answer to a call, by a machine for the instructions that the filter has. */
function answerTo(architecture: number, call: number): number {
  const filter = keyringFilter()
  const data: Record<number, number> = { 0: call, 4: architecture }
  let register = 0
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4)
    const jump = (holds: boolean) => (at += 8 * filter.readUInt8(at + (holds ? 2 : 3)))
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        register = data[value]!
        break
      case 0x54:
        register = (register & value) >>> 0
        break
      case 0x15:
        jump(register === value)
        break
      case 0x35:
        jump(register >= value)
        break
      case 0x06:
        return value
      default:
        throw new Error(`The instruction ${at / 8} is unknown.`)
    }
  }
  throw new Error('The filter does not answer.')
}
