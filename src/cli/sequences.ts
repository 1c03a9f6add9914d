/**
 * Cuts what a program prints into text, controls and sequences, as terminals do. What is begun and not ended waits for
 * the next piece of output. Device control strings and the like (DCS, APC, PM, SOS) are swallowed: no viewer shows them.
 */
export type Piece =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'control'; readonly code: string }
  | { readonly is: 'escape'; readonly intermediates: string; readonly final: string }
  | {
      readonly is: 'csi'
      /** One of `<=>?`, or nothing. */
      readonly prefix: string
      readonly parameters: string
      readonly intermediates: string
      readonly final: string
    }
  | { readonly is: 'osc'; readonly number: string; readonly data: string }

export interface SequenceReader {
  read(output: string): Piece[]
}

/** The longest string that is waited for to end; a clipboard may be large. */
const maxStringLength = 2 ** 20

export function createSequenceReader(): SequenceReader {
  let waiting = ''
  /** What ends the string that is being swallowed. */
  let swallowingUntil: RegExp | undefined

  function readString(text: string, at: number, pieces: Piece[]): number | undefined {
    const isOsc = text[at + 1] === ']'
    const ends = isOsc ? oscEnd : stringEnd
    const end = firstMatch(ends, text, at + 2)
    if (end !== undefined && !isCutOff(text, end)) {
      if (isOsc && !isCancel(text[end]!)) pieces.push(oscOf(text.slice(at + 2, end)))
      return afterString(text, end)
    }
    if (isOsc && text.length - at <= maxStringLength) return undefined
    swallowingUntil = ends
    return end ?? text.length
  }

  return {
    read(output) {
      const pieces: Piece[] = []
      const text = waiting + output.replaceAll(eightBitControls, asSevenBits)
      waiting = ''
      let at = 0
      if (swallowingUntil) {
        const end = firstMatch(swallowingUntil, text, 0)
        if (end === undefined) return pieces
        if (isCutOff(text, end)) {
          waiting = '\x1b'
          return pieces
        }
        swallowingUntil = undefined
        at = afterString(text, end)
      }
      while (at < text.length) {
        if (swallowingUntil) {
          waiting = text.slice(at)
          break
        }
        const next = matchAt(stringBegin, text, at) ? readString(text, at, pieces) : readPiece(text, at, pieces)
        if (next === undefined) {
          waiting = text.slice(at)
          break
        }
        at = next
      }
      return pieces
    },
  }
}

/** Where the next piece begins; `undefined` if this one has not ended. */
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
  const [begun, body = ''] = matchAt(sequenceBody, text, at)!
  const final = text[at + begun.length]
  if (final === undefined) return undefined
  // Controls within a sequence count at once, as if they stood before it.
  for (const code of body.replaceAll(noControls, '')) pieces.push({ is: 'control', code })
  // Another escape, or a character that ends no sequence, gives it up.
  if (final < '\x30' || final > '\x7e') return at + begun.length + (isCancel(final) ? 1 : 0)
  const sequence = sequenceOf(body.replaceAll(controls, ''), final)
  if (sequence) pieces.push(sequence)
  return at + begun.length + 1
}

/** `undefined` for one that no terminal understands. */
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

/** An escape that ends a string begins what follows; with a backslash behind it, it is the terminator and no more. */
function afterString(text: string, end: number): number {
  if (text[end] !== '\x1b') return end + 1
  return text[end + 1] === '\\' ? end + 2 : end
}

/** Whether the escape is half of a terminator only the next output can tell. */
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
/** `ESC ] …` and the four kinds that are swallowed. */
const stringBegin = /\x1b[\]PX^_]/y
const oscEnd = /[\x07\x18\x1a\x1b]/g
/** A bell is part of it. */
const stringEnd = /[\x18\x1a\x1b]/g
/** Up to its final character: `ESC [`, parameters and intermediates, or `ESC` and intermediates. */
const sequenceBody =
  /\x1b((?:[\x00-\x17\x19\x1c-\x1f\x7f]*\[[\x00-\x17\x19\x1c-\x3f\x7f]*)|[\x00-\x17\x19\x1c-\x2f\x7f]*)/y
/* oxlint-enable no-control-regex */
const csiBody = /^\[([<=>?]?)([\d:;]*)([ -/]*)$/
const oscBody = /^(\d*);?([^]*)$/
