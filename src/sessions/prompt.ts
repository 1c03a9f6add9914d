/**
 * Giving a prompt to a program that has just started: wait until it can take one, type it, and look whether it was taken.
 * The caller learns whether the screen showed that, or why not.
 */
import type { Template } from '../api/template.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Pattern, Terminal } from '../terminal/terminal.ts'
import { compilePattern, encodeKeys } from '../terminal/terminal.ts'
import type { Look } from './look.ts'
import { lookUntil } from './look.ts'
import type { Typed } from './typing.ts'
import { type } from './typing.ts'

export interface PromptRules {
  readonly ready: Pattern | undefined
  readonly quietMs: number
  readonly fallbackMs: number
  readonly taken: Pattern | undefined
  readonly emptied: Pattern | undefined
  readonly pasted: Pattern | undefined
  readonly questions: readonly { readonly shows: Pattern; readonly keys: string }[]
}

export interface Delivery {
  readonly delivered: boolean
  readonly reason?: string
}

/** So long may an answer to Enter take, and the pattern that tells for sure that the prompt was taken. */
const answerMs = 3_000
const takenMs = 15_000
/** Enough to see whether there is more in it than an empty line. */
const answerBytes = 4_096

export async function readPromptRules({ prompt, questions }: Template): Promise<PromptRules> {
  return {
    ready: await compile(prompt.ready),
    quietMs: prompt.quiet_ms,
    fallbackMs: prompt.fallback_ms,
    taken: await compile(prompt.taken),
    emptied: await compile(prompt.emptied),
    pasted: await compilePasted(prompt),
    questions: await Promise.all(questions.map(async ({ shows, keys }) => ({ shows: await compile(shows), keys }))),
  }
}

/** What a long text is shown as, while it is typed. */
export async function compilePasted({ pasted }: Template['prompt']): Promise<Pattern | undefined> {
  return compile(pasted)
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
  return orWhyNot(async () => {
    if (!(await becomeReady(terminal, rules, signal))) {
      return { delivered: false, reason: 'The program ended before it could be given the prompt.' }
    }
    const typed = await type(terminal, text, { enter: true, pasted: rules.pasted, signal })
    return wasTaken(terminal, typed, rules, signal)
  })
}

async function orWhyNot(give: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await give()
  } catch (error) {
    return { delivered: false, reason: messageOf(error) }
  }
}

/**
 * The program itself has to show it: with a pattern that only an agent at work matches, or with an input that is empty
 * again, which means something only where the text had been in it. One without patterns has to print something, and
 * the end of the line that the terminal echoes is nothing that it printed.
 */
async function wasTaken(terminal: Terminal, typed: Typed, rules: PromptRules, signal: AbortSignal): Promise<Delivery> {
  const { taken, emptied } = rules
  const isTold = taken !== undefined || emptied !== undefined
  const isTaken = ({ text }: Look) => taken?.test(text) || (typed.isEchoSeen && emptied?.test(text))
  const isAnswered = () => /\S/.test(terminal.readOutput(typed.enteredAt, answerBytes).bytes.toString('latin1'))
  const outcome = await lookUntil(terminal, { timeoutMs: isTold ? takenMs : answerMs, signal }, (look) =>
    look.offset > typed.enteredAt && (isTold ? isTaken(look) : isAnswered()) ? 'met' : 'not-yet',
  )
  switch (outcome) {
    case 'met':
      return { delivered: true }
    case 'ended':
      return { delivered: false, reason: 'The program ended as it was given the prompt.' }
    case 'timed-out':
      return { delivered: false, reason: `${whyUnseen(typed, isTold)} Look with read_screen.` }
  }
}

function whyUnseen({ isEchoSeen }: Typed, isTold: boolean): string {
  if (isTold) return 'It was typed, but nothing on the screen shows that it was taken.'
  const seen = isEchoSeen ? 'nothing but its echo was seen' : 'nothing on the screen answers it'
  return `It was typed, but ${seen}; its template does not say how to see that a prompt was taken ("prompt": {"taken": …}).`
}

/**
 * For a program that was given the prompt on its command line: it has it if it was started with it. One that ends at
 * once and not well was not, or could not use it.
 */
export async function wasStartedWith(terminal: Terminal, rules: PromptRules, signal: AbortSignal): Promise<Delivery> {
  return orWhyNot(async () => {
    const outcome = await lookUntil(terminal, { timeoutMs: answerMs, signal }, ({ text, quietMs }) => {
      if (terminal.life.is !== 'running' || text === '') return 'not-yet'
      return quietMs >= rules.quietMs ? 'met' : { againInMs: rules.quietMs - quietMs }
    })
    const { life } = terminal
    const isWell = outcome !== 'ended' || (life.is === 'exited' && life.code === 0)
    const passed = 'It was passed on the command line'
    return isWell
      ? { delivered: true, reason: `${passed}, and the program has started.` }
      : { delivered: false, reason: `${passed}, but the program ended at once. Look with tail_log.` }
  })
}
