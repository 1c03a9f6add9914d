import headless from '@xterm/headless'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { Internals } from './internals.ts'
import { internalsOf } from './internals.ts'
import { emulatorName } from './questions.ts'

function emulatorAfter(output: string): Internals {
  const terminal = new headless.Terminal({ cols: 10, rows: 4, scrollback: 5, allowProposedApi: true, logLevel: 'off' })
  const internals = internalsOf(terminal)
  internals._inputHandler.parse(Buffer.from(output))
  return internals
}

test('a cell packs its character, width and colours into three numbers', () => {
  const line = emulatorAfter('\x1b[1;31;48;5;7ma\x1b[0m漢e\u0301').buffers.active.lines.get(0)!
  expect(Array.from(line._data.subarray(0, 3))).toEqual([0x61 | (1 << 22), 0x8000000 | 0x1000000 | 1, 0x2000000 | 7])
  expect(Array.from(line._data.subarray(3, 9))).toEqual([0x6f22 | (2 << 22), 0, 0, 0, 0, 0])
  expect(line._combined[3]).toBe('e\u0301')
  expect(line.length).toBe(10)
  expect(line.isWrapped).toBe(false)
})

test('underline styles and links are stored beside the cells', () => {
  const { buffers } = emulatorAfter('\x1b[4:3ma\x1b]8;;https://a.example\x07b')
  const extended = buffers.active.lines.get(0)!._extendedAttrs
  expect(extended[0]!._ext >>> 26).toBe(3)
  expect(extended[0]!.urlId).toBe(0)
  expect(extended[1]!.urlId).toBeGreaterThan(0)
})

test('a buffer stores its cursor, margins, tab stops and the first visible line', () => {
  const { buffers } = emulatorAfter('1\r\n2\r\n3\r\n4\r\n5\x1b[2;3r\x1b[3;4H\x1bH\x1b[32m\x1b(0\x1b7\x1b[2;2H')
  const { active } = buffers
  expect(active).toBe(buffers.normal)
  expect({ x: active.x, y: active.y, ybase: active.ybase, ydisp: active.ydisp }).toEqual({
    x: 1,
    y: 1,
    ybase: 1,
    ydisp: 1,
  })
  expect([active.scrollTop, active.scrollBottom]).toEqual([1, 2])
  expect(active.tabs).toEqual({ 0: true, 3: true, 8: true })
  expect([active.savedX, active.savedY, active.savedCurAttrData.fg]).toEqual([3, 3, 0x1000000 | 2])
  expect(active.savedCharset?.['q']).toBe('─')
  expect([active.lines.length, active.lines.maxLength]).toEqual([5, 9])
})

test('the alternate buffer is separate and has no scrollback', () => {
  const { buffers } = emulatorAfter('\x1b[?1049h')
  expect(buffers.active).toBe(buffers.alt)
  expect(buffers.alt.lines.maxLength).toBe(4)
})

test('modes, mouse, charsets and options are where the code expects them', () => {
  const internals = emulatorAfter(
    '\x1b[?1;6;45;66;1003;1004;1006;2004;2026h\x1b[?7;25l\x1b[4;20h\x1b[?12h\x1b[3 q\x1b)0\x0e',
  )
  expect(internals.coreService.decPrivateModes).toEqual({
    applicationCursorKeys: true,
    applicationKeypad: true,
    bracketedPasteMode: true,
    cursorBlink: true,
    cursorStyle: 'underline',
    origin: true,
    reverseWraparound: true,
    sendFocus: true,
    synchronizedOutput: true,
    wraparound: false,
  })
  expect(internals.coreService.modes.insertMode).toBe(true)
  expect(internals.coreService.isCursorHidden).toBe(true)
  expect(internals.coreMouseService.activeProtocol).toBe('ANY')
  expect(internals.coreMouseService.activeEncoding).toBe('SGR')
  expect(internals.optionsService.rawOptions).toMatchObject({ convertEol: true, cursorBlink: true })
  expect(internals._charsetService.glevel).toBe(1)
  expect(internals._charsetService.charset).toBe(internals._charsetService._charsets[1])
})

test('the parser shows whether it is inside a sequence or a character', () => {
  const { _inputHandler: handler } = emulatorAfter('a')
  expect([handler._parser.currentState, handler._utf8Decoder.interim[0]]).toEqual([0, 0])
  expect(handler._parser.precedingJoinState).not.toBe(0)
  handler.parse(Buffer.from('\x1b['))
  expect(handler._parser.currentState).not.toBe(0)
  handler._parser.reset()
  expect(handler._parser.currentState).toBe(0)
  handler.parse(Buffer.from('é').subarray(0, 1))
  expect(handler._utf8Decoder.interim[0]).toBe(0xc3)
})

test('a handler can change the parameters of a sequence before the emulator reads them', () => {
  const internals = emulatorAfter('')
  internals.registerCsiHandler({ final: 'C' }, ({ params }) => {
    params[0] = 2
    return false
  })
  internals._inputHandler.parse(Buffer.from('\x1b[7C'))
  expect(internals.buffers.active.x).toBe(2)
})

test('an emulator with moved internals is refused with a clear error', () => {
  const terminal = new headless.Terminal()
  Reflect.deleteProperty(Reflect.get(terminal, '_core'), '_charsetService')
  expect(() => internalsOf(terminal)).toThrow('no _charsetService.glevel')
})

test('the emulator reports its real version', () => {
  const path = createRequire(import.meta.url).resolve('@xterm/headless/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  expect(emulatorName).toBe(`xterm.js(${version})`)
})
