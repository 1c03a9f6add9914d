import { expect, test } from 'vitest'
import { HubError } from '../base/hub-error.ts'
import { encodeKeys } from './keys.ts'

function encode(keys: string, applicationCursor = false): string {
  return encodeKeys(keys, { applicationCursor }).bytes.toString()
}

test.each([
  ['Enter', '\r'],
  ['Return', '\r'],
  ['Tab', '\t'],
  ['Escape', '\x1b'],
  ['Esc', '\x1b'],
  ['Backspace', '\x7f'],
  ['Space', ' '],
  ['Up', '\x1b[A'],
  ['Down', '\x1b[B'],
  ['Right', '\x1b[C'],
  ['Left', '\x1b[D'],
  ['Home', '\x1b[H'],
  ['End', '\x1b[F'],
  ['PageUp', '\x1b[5~'],
  ['Page_Up', '\x1b[5~'],
  ['PageDown', '\x1b[6~'],
  ['Page_Down', '\x1b[6~'],
  ['Insert', '\x1b[2~'],
  ['Delete', '\x1b[3~'],
  ['F1', '\x1bOP'],
  ['F4', '\x1bOS'],
  ['F5', '\x1b[15~'],
  ['F6', '\x1b[17~'],
  ['F10', '\x1b[21~'],
  ['F11', '\x1b[23~'],
  ['F12', '\x1b[24~'],
  ['F13', '\x1b[1;2P'],
  ['F17', '\x1b[15;2~'],
  ['F24', '\x1b[24;2~'],
  ['a', 'a'],
  ['A', 'A'],
  ['+', '+'],
  ['é', 'é'],
  ['漢', '漢'],
  ['👨‍👩‍👧', '👨‍👩‍👧'],
  ['Ctrl+c', '\x03'],
  ['Ctrl+C', '\x03'],
  ['Ctrl+Shift+c', '\x03'],
  ['Ctrl+Space', '\0'],
  ['Ctrl+@', '\0'],
  ['Ctrl+[', '\x1b'],
  ['Ctrl+\\', '\x1c'],
  ['Ctrl+]', '\x1d'],
  ['Ctrl+_', '\x1f'],
  ['Ctrl+/', '\x1f'],
  ['Ctrl+?', '\x7f'],
  ['Ctrl+6', '\x1e'],
  ['Ctrl+Backspace', '\b'],
  ['Ctrl+Up', '\x1b[1;5A'],
  ['Ctrl+Alt+Shift+Left', '\x1b[1;8D'],
  ['Ctrl+Home', '\x1b[1;5H'],
  ['Ctrl+Delete', '\x1b[3;5~'],
  ['Ctrl+F1', '\x1b[1;5P'],
  ['Ctrl+F13', '\x1b[1;6P'],
  ['Shift+F5', '\x1b[15;2~'],
  ['Shift+PageUp', '\x1b[5;2~'],
  ['Shift+Tab', '\x1b[Z'],
  ['Shift+a', 'A'],
  ['Shift+é', 'É'],
  ['Alt+a', '\x1ba'],
  ['Alt+A', '\x1bA'],
  ['Alt++', '\x1b+'],
  ['Alt+Enter', '\x1b\r'],
  ['Alt+Ctrl+x', '\x1b\x18'],
  ['Alt+Up', '\x1b[1;3A'],
])('encodes the key %s', (key, bytes) => {
  expect(encode(key)).toBe(bytes)
})

test('key names ignore case', () => {
  expect(encode('ENTER pageup CTRL+d alt+LEFT f7')).toBe('\r\x1b[5~\x04\x1b[1;3D\x1b[18~')
})

test('arrows, Home and End follow the cursor mode of the program, unless they have modifiers', () => {
  expect(encode('Up Home End F1 PageUp Ctrl+Up', true)).toBe('\x1bOA\x1bOH\x1bOF\x1bOP\x1b[5~\x1b[1;5A')
})

test('keys are counted, with any blanks between them', () => {
  expect(encodeKeys('  Ctrl+c \t Enter\ny ', { applicationCursor: false }).count).toBe(3)
  expect(encodeKeys('', { applicationCursor: false })).toEqual({ bytes: Buffer.alloc(0), count: 0 })
})

test.each(['Entr', 'C-c', 'Ctrl+', 'Ctrl+Entr', 'F0', 'F25', 'hello', 'constructor', 'Ctrl+é', 'Meta+x'])(
  'the unknown key %s encodes nothing, and the error lists the known keys',
  (key) => {
    expect.assertions(4)
    try {
      encode(`Enter ${key} y`)
    } catch (error) {
      expect(error).toBeInstanceOf(HubError)
      const { code, message } = error as HubError
      expect(code).toBe('invalid')
      expect(message).toContain(`Nothing was sent: there is no key ${JSON.stringify(key)}.`)
      expect(message).toContain('Use Enter, Return, Tab')
    }
  },
)

test('the error for a long text instead of key names is short', () => {
  expect(() => encode('x'.repeat(100_000))).toThrow(/^.{0,500}$/)
})
