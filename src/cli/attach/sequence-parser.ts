/**
 * Splits the output of a program into text, controls and sequences, as terminals do. An incomplete sequence waits for the
 * next output. Control strings other than OSC (DCS, APC, PM, SOS) are skipped: no viewer shows them.
 */
export type Piece =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'control'; readonly code: string }
  | { readonly is: 'escape'; readonly intermediates: string; readonly final: string }
  | {
      readonly is: 'csi'
      /** One of `<=>?`, or empty. */
      readonly prefix: string
      readonly parameters: string
      readonly intermediates: string
      readonly final: string
    }
  | { readonly is: 'osc'; readonly number: string; readonly data: string }

export interface SequenceParser {
  parse(output: string): Piece[]
}

/** Longer strings are dropped. The limit is high because a string may set the clipboard. */
const maxStringLength = 2 ** 20

export function createSequenceParser(): SequenceParser {
  let incomplete = ''
  /** The end of the string that is being skipped. */
  let skippingUntil: RegExp | undefined

  function readString(text: string, at: number, pieces: Piece[]): number | undefined {
    const isOsc = text[at + 1] === ']'
    const ends = isOsc ? oscEnd : stringEnd
    const end = firstMatch(ends, text, at + 2)
    if (end !== undefined && !isCutOff(text, end)) {
      if (isOsc && !isCancel(text[end]!)) pieces.push(oscOf(text.slice(at + 2, end)))
      return afterString(text, end)
    }
    if (isOsc && text.length - at <= maxStringLength) return undefined
    skippingUntil = ends
    return end ?? text.length
  }

  return {
    parse(output) {
      const pieces: Piece[] = []
      const text = incomplete + output.replaceAll(eightBitControls, asSevenBits)
      incomplete = ''
      let at = 0
      if (skippingUntil) {
        const end = firstMatch(skippingUntil, text, 0)
        if (end === undefined) return pieces
        if (isCutOff(text, end)) {
          incomplete = '\x1b'
          return pieces
        }
        skippingUntil = undefined
        at = afterString(text, end)
      }
      while (at < text.length) {
        if (skippingUntil) {
          incomplete = text.slice(at)
          break
        }
        const next = matchAt(stringStart, text, at) ? readString(text, at, pieces) : readPiece(text, at, pieces)
        if (next === undefined) {
          incomplete = text.slice(at)
          break
        }
        at = next
      }
      return pieces
    },
  }
}

/** Returns where the next piece begins, or `undefined` if this one is incomplete. */
function readPiece(text: string, at: number, pieces: Piece[]): number | undefined {
  const plain = matchAt(plainText, text, at)
  if (plain) {
    pieces.push({ is: 'text', text: plain[0] })
    return at + plain[0].length
  }
  if (text[at] !== '\x1b') {
    pieces.push({ is: 'control', code: text[at]! })
    return at + 1
  }
  const [start, body = ''] = matchAt(sequenceBody, text, at)!
  const final = text[at + start.length]
  if (final === undefined) return undefined
  // Controls inside a sequence take effect at once, as if they came before it.
  for (const code of body.replaceAll(noControls, '')) pieces.push({ is: 'control', code })
  // An escape, or a character that cannot end a sequence, aborts it.
  if (final < '\x30' || final > '\x7e') return at + start.length + (isCancel(final) ? 1 : 0)
  const sequence = sequenceOf(body.replaceAll(controls, ''), final)
  if (sequence) pieces.push(sequence)
  return at + start.length + 1
}

/** Returns `undefined` for a sequence that no terminal understands. */
function sequenceOf(body: string, final: string): Piece | undefined {
  if (!body.startsWith('[')) return { is: 'escape', intermediates: body, final }
  const parts = csiBody.exec(body)
  if (!parts) return undefined
  const [, prefix = '', parameters = '', intermediates = ''] = parts
  return { is: 'csi', prefix, parameters, intermediates, final }
}

function oscOf(body: string): Piece {
  const [, number = '', data = ''] = oscBody.exec(body.replaceAll(controls, ''))!
  return { is: 'osc', number, data }
}

/** An escape ends a string. With a backslash it is the terminator; without one it begins the next sequence. */
function afterString(text: string, end: number): number {
  if (text[end] !== '\x1b') return end + 1
  return text[end + 1] === '\\' ? end + 2 : end
}

/** The escape may be the first half of a terminator. Only the next output can tell. */
function isCutOff(text: string, end: number): boolean {
  return text[end] === '\x1b' && end === text.length - 1
}

function isCancel(code: string): boolean {
  return code === '\x18' || code === '\x1a'
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function firstMatch(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.exec(text)?.index
}

function asSevenBits(control: string): string {
  return `\x1b${String.fromCharCode(control.charCodeAt(0) - 0x40)}`
}

/* oxlint-disable no-control-regex */
const eightBitControls = /[\x80-\x9f]/g
const plainText = /[^\x00-\x1f\x7f]+/y
const controls = /[\x00-\x1f\x7f]/g
const noControls = /[^\x00-\x1f\x7f]/g
/** `ESC ] …` and the four kinds that are skipped. */
const stringStart = /\x1b[\]PX^_]/y
const oscEnd = /[\x07\x18\x1a\x1b]/g
/** Unlike an OSC, these strings may contain a bell. */
const stringEnd = /[\x18\x1a\x1b]/g
/** A sequence without its final character: `ESC [`, parameters and intermediates, or `ESC` and intermediates. */
const sequenceBody =
  /\x1b((?:[\x00-\x17\x19\x1c-\x1f\x7f]*\[[\x00-\x17\x19\x1c-\x3f\x7f]*)|[\x00-\x17\x19\x1c-\x2f\x7f]*)/y
/* oxlint-enable no-control-regex */
const csiBody = /^\[([<=>?]?)([\d:;]*)([ -/]*)$/
const oscBody = /^(\d*);?([^]*)$/
