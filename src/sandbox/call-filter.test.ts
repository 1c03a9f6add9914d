import { describe, expect, test } from 'vitest'
import { callFilter } from './call-filter.ts'

const allowed = 0x7fff0000
const notPermitted = 0x00050001
const notImplemented = 0x00050026
const x86 = 0xc000003e
const cgroupNamespace = 0x02000000

describe.each([
  ['x86-64', x86, { keys: [248, 249, 250], makers: [56, 272] }],
  ['i386', 0x40000003, { keys: [286, 287, 288], makers: [120, 310] }],
  ['arm64', 0xc00000b7, { keys: [217, 218, 219], makers: [97, 220] }],
  ['arm', 0x40000028, { keys: [309, 310, 311], makers: [120, 337] }],
] as const)('on %s', (_name, architecture, { keys, makers }) => {
  const calls = Array.from({ length: 1_000 }, (_, call) => call)
  const refused = (flags: number) => calls.filter((call) => answerTo(architecture, call, flags) === notPermitted)

  test('refuses the calls for keys, and those that make a cgroup namespace', () => {
    expect(refused(0)).toEqual(keys)
    expect(refused(cgroupNamespace | 0x10000000)).toEqual([...keys, ...makers].sort((one, other) => one - other))
  })

  test('lacks the call whose flags it cannot see, and allows all others', () => {
    const answers = calls
      .filter((call) => !keys.some((key) => key === call))
      .map((call) => answerTo(architecture, call))
    expect(answers.filter((answer) => answer === allowed)).toHaveLength(calls.length - keys.length - 1)
    expect(answerTo(architecture, 435)).toBe(notImplemented)
  })
})

test('refuses the same calls as a program for x32 makes them, and all of an unknown architecture', () => {
  for (const call of [248, 249, 250]) expect(answerTo(x86, call | 0x40000000)).toBe(notPermitted)
  expect(answerTo(x86, 272 | 0x40000000, cgroupNamespace)).toBe(notPermitted)
  expect(answerTo(0xc00000f3, 63)).toBe(notPermitted)
})

/** The kernel's answer to a call, by a machine for the instructions that the filter has. */
function answerTo(architecture: number, call: number, flags = 0): number {
  const filter = callFilter()
  const data: Record<number, number> = { 0: call, 4: architecture, 16: flags }
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
      case 0x45:
        jump((register & value) !== 0)
        break
      case 0x06:
        return value
      default:
        throw new Error(`The instruction ${at / 8} is unknown.`)
    }
  }
  throw new Error('The filter does not answer.')
}
