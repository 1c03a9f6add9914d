/**
 * Typing a prompt into a program that has just started: wait until it can take one, paste the text as it is, and press
 * Enter apart from it. The caller learns whether the screen showed that it was taken.
 */
import type { Template } from '../api/template.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Pattern, Terminal } from '../terminal/terminal.ts'
import { compilePattern, encodeKeys, encodePaste } from '../terminal/terminal.ts'
import type { Look } from './look.ts'
import { lookUntil } from './look.ts'

export interface PromptRules {
  readonly ready: Pattern | undefined
  readonly quietMs: number
  readonly fallbackMs: number
  readonly taken: Pattern | undefined
  readonly questions: readonly { readonly shows: Pattern; readonly keys: string }[]
}

export interface Delivery {
  readonly delivered: boolean
  readonly reason?: string
}

/** So long may the echo of a paste take, the first sign that Enter was seen, and the pattern that tells so for sure. */
const echoMs = 3_000
const answerMs = 3_000
const takenMs = 15_000
/** The echo of a paste has ended when nothing came for so long: an Enter within a burst is taken for a part of it. */
const burstMs = 400

export async function readPromptRules({ prompt, questions }: Template): Promise<PromptRules> {
  return {
    ready: await compile(prompt.ready),
    quietMs: prompt.quiet_ms,
    fallbackMs: prompt.fallback_ms,
    taken: await compile(prompt.taken),
    questions: await Promise.all(questions.map(async ({ shows, keys }) => ({ shows: await compile(shows), keys }))),
  }
}

function compile(source: string): Promise<Pattern>
function compile(source: string | undefined): Promise<Pattern | undefined>
/** Line by line, since screens are made of lines. */
async function compile(source: string | undefined): Promise<Pattern | undefined> {
  return source === undefined ? undefined : compilePattern(`(?m)${source}`, { ignoreCase: false })
}

/**
 * Until its pattern is on the screen (or, where it has none, something is) and nothing more is printed; or the fallback
 * time has passed. Questions on the way are answered, each once. False: it ended before.
 */
export async function becomeReady(terminal: Terminal, rules: PromptRules, signal: AbortSignal): Promise<boolean> {
  const open = new Set(rules.questions)
  const outcome = await lookUntil(terminal, { timeoutMs: rules.fallbackMs, signal }, (look) => {
    const asked = [...open].find(({ shows }) => shows.test(look.text))
    if (asked) {
      if (look.quietMs < rules.quietMs) return { againInMs: rules.quietMs - look.quietMs }
      open.delete(asked)
      terminal.write(encodeKeys(asked.keys, terminal.screen.modes).bytes)
      return { againInMs: rules.quietMs }
    }
    const isShown = rules.ready ? rules.ready.test(look.text) : look.text.trim() !== ''
    if (!isShown) return 'not-yet'
    return look.quietMs >= rules.quietMs ? 'met' : { againInMs: rules.quietMs - look.quietMs }
  })
  return outcome !== 'ended'
}

export async function deliver(
  terminal: Terminal,
  text: string,
  rules: PromptRules,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    if (!(await becomeReady(terminal, rules, signal))) {
      return { delivered: false, reason: 'The program ended before it could be given the prompt.' }
    }
    await type(terminal, text, { enter: true, signal })
    return await wasTaken(terminal, rules.taken, signal)
  } catch (error) {
    return { delivered: false, reason: messageOf(error) }
  }
}

export interface TypeOptions {
  readonly enter: boolean
  readonly signal: AbortSignal
}

/** Pastes the text and, when its echo is over, presses Enter. Resolves with the number of bytes written. */
export async function type(terminal: Terminal, text: string, { enter, signal }: TypeOptions): Promise<number> {
  const from = terminal.offset
  const paste = text === '' ? Buffer.alloc(0) : encodePaste(text, terminal.screen.modes)
  terminal.write(paste)
  if (!enter) return paste.length
  if (paste.length > 0) await echoOf(terminal, text, from, signal)
  // A text that holds Enter may have ended it already.
  if (terminal.life.is !== 'running' && paste.length > 0) return paste.length
  const enterKey = Buffer.from('\r')
  terminal.write(enterKey)
  return paste.length + enterKey.length
}

/**
 * The end of the text is on the screen, and nothing more comes: a program that is busy takes text and Enter in one go
 * otherwise, and Enter for a part of what was pasted. Long text is shown as a placeholder, and a password not at all.
 */
async function echoOf(terminal: Terminal, text: string, from: number, signal: AbortSignal): Promise<void> {
  const end = withoutBlanks(text).slice(-tailLength)
  const shows = (look: Look) => look.text.includes('[Pasted ') || withoutBlanks(look.text).includes(end)
  await lookUntil(terminal, { timeoutMs: echoMs, signal }, (look) => {
    if (look.offset === from || !shows(look)) return 'not-yet'
    return look.quietMs >= burstMs ? 'met' : { againInMs: burstMs - look.quietMs }
  })
}

/** Enough to know it by, and short enough to stand in one line, since boxes have edges. */
const tailLength = 12

/** Programs wrap and indent what they show. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

async function wasTaken(terminal: Terminal, taken: Pattern | undefined, signal: AbortSignal): Promise<Delivery> {
  const from = terminal.offset
  const showsIt = (look: Look) => look.offset > from && (taken === undefined || taken.test(look.text))
  const timeoutMs = taken ? takenMs : answerMs
  const outcome = await lookUntil(terminal, { timeoutMs, signal }, (look) => (showsIt(look) ? 'met' : 'not-yet'))
  switch (outcome) {
    case 'met':
      return { delivered: true }
    case 'ended':
      return { delivered: false, reason: 'The program ended as it was given the prompt.' }
    case 'timed-out':
      return {
        delivered: false,
        reason: 'It was typed, but nothing on the screen shows that it was taken. Look with read_screen.',
      }
  }
}
