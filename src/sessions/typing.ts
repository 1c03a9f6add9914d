/** Typing a text: pasted as it is, and Enter apart from it, once the program has shown what was pasted. */
import type { Pattern, Terminal } from '../terminal/terminal.ts'
import { encodePaste } from '../terminal/terminal.ts'
import { lookUntil } from './look.ts'

export interface TypeOptions {
  readonly enter: boolean
  /** What the program shows in place of a long text. */
  readonly pasted: Pattern | undefined
  readonly signal: AbortSignal
}

export interface Typed {
  readonly bytes: number
  /** Of the first byte that may answer the text, and of the first that may answer Enter. */
  readonly typedAt: number
  readonly enteredAt: number
  /** The text was on the screen before Enter was pressed. */
  readonly isEchoSeen: boolean
}

const echoMs = 3_000
/** The echo of a paste has ended when nothing came for so long: an Enter within a burst is taken for a part of it. */
const burstMs = 400

export async function type(terminal: Terminal, text: string, { enter, pasted, signal }: TypeOptions): Promise<Typed> {
  const shows = createEchoTest(terminal, text, pasted)
  const typedAt = terminal.offset
  const paste = text === '' ? Buffer.alloc(0) : encodePaste(text, terminal.screen.modes)
  terminal.write(paste)
  if (!enter) return { bytes: paste.length, typedAt, enteredAt: typedAt, isEchoSeen: false }
  const isEchoSeen = paste.length > 0 && (await seeEcho(terminal, typedAt, shows, signal))
  const enteredAt = terminal.offset
  // A text that holds Enter may have ended it already.
  if (terminal.life.is !== 'running' && paste.length > 0) return { bytes: paste.length, typedAt, enteredAt, isEchoSeen }
  const enterKey = Buffer.from('\r')
  terminal.write(enterKey)
  return { bytes: paste.length + enterKey.length, typedAt, enteredAt, isEchoSeen }
}

/**
 * The end of the text is on the screen, and nothing more comes: a program that is busy takes text and Enter in one go
 * otherwise, and Enter for a part of what was pasted. A password is not shown at all.
 */
async function seeEcho(
  terminal: Terminal,
  from: number,
  shows: (screen: string) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = await lookUntil(terminal, { timeoutMs: echoMs, signal }, ({ offset, text, quietMs }) => {
    if (offset === from || !shows(text)) return 'not-yet'
    return quietMs >= burstMs ? 'met' : { againInMs: burstMs - quietMs }
  })
  return outcome === 'met'
}

/** Enough to know it by, and short enough to stand in one line, since boxes have edges. */
const tailLength = 12

/** Whether a screen shows the end of the text, or what stands for it, once more than before it was typed. */
function createEchoTest({ screen }: Terminal, text: string, pasted: Pattern | undefined): (screen: string) => boolean {
  const end = withoutBlanks(text).slice(-tailLength)
  if (end === '') return () => true
  const ends = (shown: string) => withoutBlanks(shown).split(end).length
  const placeholders = (shown: string) => [...(pasted?.matchesIn(shown) ?? [])].length
  const before = screen.text()
  const endsBefore = ends(before)
  const placeholdersBefore = placeholders(before)
  return (shown) => ends(shown) > endsBefore || placeholders(shown) > placeholdersBefore
}

/** Programs wrap and indent what they show. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
