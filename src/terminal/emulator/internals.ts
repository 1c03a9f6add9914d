/**
 * The private parts of the emulator that have no public API, named in one place. Each emulator is checked for them, so
 * that a release that moves them fails at once with a clear message. A test covers each of them.
 */
import type { Terminal } from '@xterm/headless'

export interface Internals {
  readonly buffers: { readonly normal: EmulatorBuffer; readonly alt: EmulatorBuffer; readonly active: EmulatorBuffer }
  readonly coreService: {
    readonly isCursorHidden: boolean
    readonly modes: { readonly insertMode: boolean }
    readonly decPrivateModes: PrivateModes
  }
  readonly coreMouseService: {
    readonly activeProtocol: 'NONE' | 'X10' | 'VT200' | 'DRAG' | 'ANY'
    readonly activeEncoding: 'DEFAULT' | 'SGR' | 'SGR_PIXELS'
  }
  readonly optionsService: { readonly rawOptions: { readonly convertEol: boolean; readonly cursorBlink: boolean } }
  readonly _charsetService: {
    readonly charset: Charset | undefined
    readonly glevel: number
    readonly _charsets: readonly (Charset | undefined)[]
  }
  readonly _inputHandler: InputHandler
  /** Unlike the public method, it passes the parameters themselves: later handlers see a handler's changes. */
  registerCsiHandler(id: CsiName, callback: (parameters: CsiParameters) => boolean): void
}

export interface InputHandler {
  readonly _parser: {
    readonly currentState: number
    precedingJoinState: number
    readonly _oscParser: OscParser
    readonly _dcsParser: DcsParser
    reset(): void
  }
  /** The bytes of an incomplete character. */
  readonly _utf8Decoder: { readonly interim: Uint8Array }
  readonly _curAttrData: Attributes & { extended: ExtendedAttributes; updateExtended(): void }
  /** Parses synchronously. `write` would parse later, and an exception in it would end the process. */
  parse(bytes: Uint8Array): void
  eraseInDisplay(parameters: CsiParameters, isSelective: boolean): boolean
  eraseInLine(parameters: CsiParameters, isSelective: boolean): boolean
}

/** Collects the text of a sequence such as a title. */
export interface TextCollector {
  put(codepoints: Uint32Array, start: number, end: number): void
}

/** `isComplete`: the sequence was not aborted. */
export interface OscParser extends TextCollector {
  start(): void
  end(isComplete: boolean, outcome?: boolean): unknown
}

export interface DcsParser extends TextCollector {
  hook(identifier: number, parameters: unknown): void
  unhook(isComplete: boolean, outcome?: boolean): unknown
}

export interface CsiName {
  readonly prefix?: string
  readonly final: string
}

export interface CsiParameters {
  readonly params: { [index: number]: number }
  readonly length: number
}

export interface PrivateModes {
  readonly applicationCursorKeys: boolean
  readonly applicationKeypad: boolean
  readonly bracketedPasteMode: boolean
  readonly cursorBlink: boolean | undefined
  readonly cursorStyle: 'block' | 'underline' | 'bar' | undefined
  readonly origin: boolean
  readonly reverseWraparound: boolean
  readonly sendFocus: boolean
  readonly synchronizedOutput: boolean
  readonly wraparound: boolean
}

export interface EmulatorBuffer {
  readonly lines: {
    readonly length: number
    maxLength: number
    /** A ring: an index past the end wraps to the beginning. */
    get(index: number): EmulatorLine | undefined
    push(line: EmulatorLine): void
    trimStart(count: number): void
  }
  x: number
  y: number
  /** The first visible line. */
  ybase: number
  /** The first line of the scrolled view, which here always equals `ybase`. */
  ydisp: number
  readonly scrollTop: number
  readonly scrollBottom: number
  readonly tabs: Record<number, boolean | undefined>
  savedX: number
  /** Counted from the oldest line, not from the top of the screen. */
  savedY: number
  readonly savedCurAttrData: Attributes
  readonly savedCharset: Charset | undefined
  getNullCell(): object
  getBlankLine(attributes: object): EmulatorLine
}

export interface EmulatorLine {
  /** Three numbers for each cell: content, foreground, background; see `cells.ts`. */
  readonly _data: Uint32Array
  _combined: Record<number, string | undefined>
  readonly _extendedAttrs: Readonly<Record<number, ExtendedAttributes | undefined>>
  readonly length: number
  readonly isWrapped: boolean
  resize(cols: number, fill: object): void
  replaceCells(start: number, end: number, fill: object): void
  copyCellsFrom(source: EmulatorLine, from: number, to: number, length: number, isReverse: boolean): void
}

export interface Attributes {
  fg: number
  bg: number
}

export interface ExtendedAttributes {
  _ext: number
  urlId: number
  clone(): ExtendedAttributes
}

/** Maps characters to the characters that are drawn instead, in a character set other than ASCII. */
export type Charset = Readonly<Record<string, string | undefined>>

export function internalsOf(terminal: Terminal): Internals {
  const core = '_core' in terminal ? terminal._core : undefined
  const missing = parts.filter((path) => !has(core, path.split('.')))
  if (missing.length > 0) throw new Error(`The emulator has no ${missing.join(', no ')}: its internals have moved.`)
  return core as Internals
}

const buffer = [
  'lines',
  'x',
  'y',
  'ybase',
  'scrollTop',
  'scrollBottom',
  'tabs',
  'savedX',
  'savedY',
  'savedCurAttrData.bg',
]

const parts = [
  ...['normal', 'alt', 'active'].flatMap((name) => buffer.map((part) => `buffers.${name}.${part}`)),
  'coreService.isCursorHidden',
  'coreService.modes.insertMode',
  'coreService.decPrivateModes.wraparound',
  'coreMouseService.activeProtocol',
  'coreMouseService.activeEncoding',
  'optionsService.rawOptions.convertEol',
  'optionsService.rawOptions.cursorBlink',
  '_charsetService.glevel',
  '_charsetService._charsets',
  '_inputHandler.parse',
  '_inputHandler._parser.currentState',
  '_inputHandler._parser.precedingJoinState',
  '_inputHandler._parser._oscParser.start',
  '_inputHandler._parser._oscParser.put',
  '_inputHandler._parser._oscParser.end',
  '_inputHandler._parser._dcsParser.hook',
  '_inputHandler._parser._dcsParser.put',
  '_inputHandler._parser._dcsParser.unhook',
  '_inputHandler._utf8Decoder.interim',
  '_inputHandler._curAttrData.extended._ext',
  '_inputHandler._curAttrData.extended.urlId',
  '_inputHandler._curAttrData.updateExtended',
  '_inputHandler.eraseInDisplay',
  '_inputHandler.eraseInLine',
  'registerCsiHandler',
]

function has(value: unknown, path: readonly string[]): boolean {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !(name in at)) return false
    at = (at as Record<string, unknown>)[name]
  }
  return at !== undefined
}
