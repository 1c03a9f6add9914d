/** Types a text: pastes it, and presses Enter once the program has shown the pasted text. */
import type { Pattern, Terminal } from '../../terminal/terminal.ts'
import { encodePaste } from '../../terminal/terminal.ts'
import type { Typed as TypedText } from '../port/driver.ts'
import { waitForScreen } from './wait-for-screen.ts'

export interface TypeOptions {
  readonly enter: boolean
  /** The placeholder that the program shows instead of a long text. */
  readonly pasted: Pattern | undefined
  /** Aborts before typing starts. Typing itself is finished: the next text would be appended to half a prompt. */
  readonly signal: AbortSignal
  /** Called right before Enter, since a dialog may have opened. Without it, Enter is always pressed. */
  readonly mayEnter?: (() => Promise<boolean>) | undefined
}

export interface Typed extends TypedText {
  /** The offset of the first byte that may be an answer to Enter. */
  readonly enteredAt: number
  /** `hidden`: the terminal does not echo, as for a password. `missing`: the program has not shown the text. */
  readonly echo: 'shown' | 'hidden' | 'missing'
  /** Also `true` if the text itself ended the program. */
  readonly isEntered: boolean
}

/** After this time without an echo, the terminal is asked whether it hides input. */
const hiddenAfterMs = 1_000
const echoMs = 5_000
/** The echo of a paste is over after this quiet time: a program takes an Enter within a burst as part of the paste. */
const burstMs = 400
/** A program that prints all the time has taken the paste when it has shown it for this long. */
const shownMs = 1_500

export async function type(terminal: Terminal, text: string, options: TypeOptions): Promise<Typed> {
  const { enter, pasted, signal, mayEnter } = options
  signal.throwIfAborted()
  const shows = createEchoTest(terminal, text, pasted)
  const typedAt = terminal.offset
  const paste = text === '' ? Buffer.alloc(0) : encodePaste(text, terminal.screen.modes)
  terminal.write(paste)
  const bytes = paste.length
  if (!enter) return { bytes, typedAt, enteredAt: typedAt, echo: 'missing', isEntered: false }
  const echo = paste.length > 0 ? await awaitEcho(terminal, typedAt, shows) : 'missing'
  const enteredAt = terminal.offset
  // A text that contains Enter may have ended the program already.
  if (terminal.status.is !== 'running' && paste.length > 0) return { bytes, typedAt, enteredAt, echo, isEntered: true }
  const isBlind = paste.length > 0 && echo === 'missing'
  if (mayEnter && (isBlind || !(await mayEnter()))) return { bytes, typedAt, enteredAt, echo, isEntered: false }
  const enterKey = Buffer.from('\r')
  terminal.write(enterKey)
  return { bytes: bytes + enterKey.length, typedAt, enteredAt, echo, isEntered: true }
}

async function awaitEcho(terminal: Terminal, from: number, shows: (screen: string) => boolean): Promise<Typed['echo']> {
  if (await seeEcho(terminal, from, shows, hiddenAfterMs)) return 'shown'
  if (await terminal.hidesInput()) return 'hidden'
  return (await seeEcho(terminal, from, shows, echoMs)) ? 'shown' : 'missing'
}

/**
 * Waits until the end of the text is on the screen and the output pauses. Otherwise a busy program would read text and
 * Enter in one go, and take Enter as part of the paste.
 */
async function seeEcho(
  terminal: Terminal,
  from: number,
  shows: (screen: string) => boolean,
  timeoutMs: number,
): Promise<boolean> {
  let shownAt: number | undefined
  const outcome = await waitForScreen(terminal, { timeoutMs }, ({ offset, text, quietMs }) => {
    if (offset === from || !shows(text)) return 'not-yet'
    shownAt ??= performance.now()
    const waitMs = Math.min(burstMs - quietMs, shownMs - (performance.now() - shownAt))
    return waitMs <= 0 ? 'met' : { againInMs: waitMs }
  })
  return outcome === 'met'
}

/** Long enough to recognise the text, and short enough to fit on one line of an input box. */
const tailLength = 12

/** Tests whether the screen shows the end of the text, or its placeholder, more often than before the typing. */
function createEchoTest({ screen }: Terminal, text: string, pasted: Pattern | undefined): (screen: string) => boolean {
  // A shell answers each line before it echoes the next, so only the last line is in one piece.
  const lines = text.split(/[\r\n]+/).map(bare)
  const end = lines.findLast((line) => line !== '')?.slice(-tailLength)
  if (end === undefined) return () => true
  const ends = (shown: string) => bare(shown).split(end).length
  const placeholders = (shown: string) => [...(pasted?.matchesIn(shown) ?? [])].length
  const before = screen.text()
  const endsBefore = ends(before)
  const placeholdersBefore = placeholders(before)
  return (shown) => ends(shown) > endsBefore || placeholders(shown) > placeholdersBefore
}

/** Programs wrap and indent text, and draw boxes around it. */
function bare(text: string): string {
  return text.replaceAll(/[\s\u2500-\u259F]+/g, '')
}
