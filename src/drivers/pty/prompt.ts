/**
 * Gives a prompt to a program that has just started: waits until the program is ready, types the prompt, and checks
 * that the program took it. The caller learns whether the screen showed that, or why not.
 */
import type { Activity } from '../../api/session.ts'
import type { Template } from '../../api/template.ts'
import { messageOf } from '../../base/hub-error.ts'
import type { Pattern, Terminal } from '../../terminal/terminal.ts'
import { compilePattern, encodeKeys } from '../../terminal/terminal.ts'
import type { AnsweredDialog, Delivery } from '../port/driver.ts'
import { type CheckResult, type ScreenState, waitForScreen } from './wait-for-screen.ts'
import { screenTail } from './screen-tail.ts'
import type { Typed } from './typing.ts'
import { type } from './typing.ts'

export interface PromptRules {
  readonly ready: Pattern | undefined
  readonly quietMs: number
  readonly fallbackMs: number
  readonly taken: Pattern | undefined
  readonly emptied: Pattern | undefined
  readonly pasted: Pattern | undefined
  readonly questions: readonly Question[]
  /** The agent connects to the hub when it starts. */
  readonly connects: boolean
}

interface Question {
  readonly shows: Pattern
  /** The source of the pattern. */
  readonly source: string
  readonly keys: string
}

/** The part of a session that prompting needs. */
export interface PromptedSession {
  readonly terminal: Terminal
  /** The current activity, not debounced. */
  currentActivity(): Promise<Pick<Activity, 'is' | 'reason'> & { readonly approval?: string }>
  /** Resolves when the agent has asked the hub for its tools, or when it has had enough time to. */
  connected(signal: AbortSignal): Promise<void>
  /**
   * Whether the hub may answer start-up questions. Not if the project has settings that its agent would then obey: a
   * person has to know them.
   */
  mayAnswer(): Promise<boolean>
  /** Records an answer before the keys are pressed. Without a record, nothing is pressed. */
  noteAnswer(answered: AnsweredDialog): Promise<void>
}

/** Time limits for an answer to Enter, and for the pattern that proves that the prompt was taken. */
const answerMs = 3_000
const takenMs = 15_000
/** Enough to see whether the answer is more than an empty line. */
const answerBytes = 4_096

export async function readPromptRules(template: Template, isResumed: boolean): Promise<PromptRules> {
  const { prompt, questions, connects, conversation } = template
  // The earlier conversation is on the screen, and may match the usual patterns.
  const { ready = prompt.ready, taken = prompt.taken } = (isResumed && conversation) || {}
  return {
    ready: await compile(ready),
    quietMs: prompt.quiet_ms,
    fallbackMs: prompt.fallback_ms,
    taken: await compile(taken),
    emptied: await compile(prompt.emptied),
    pasted: await compilePasted(prompt),
    questions: await Promise.all(
      questions.map(async ({ shows, keys }) => ({ shows: await compile(shows), source: shows, keys })),
    ),
    connects,
  }
}

/** The placeholder that the program shows instead of a long text. */
export async function compilePasted({ pasted }: Template['prompt']): Promise<Pattern | undefined> {
  return compile(pasted)
}

function compile(source: string): Promise<Pattern>
function compile(source: string | undefined): Promise<Pattern | undefined>
/** Patterns match line by line, since screens consist of lines. */
async function compile(source: string | undefined): Promise<Pattern | undefined> {
  return source === undefined ? undefined : compilePattern(`(?m)${source}`, { ignoreCase: false })
}

/** The result of waiting for a program to start. */
export type Readiness =
  | { readonly is: 'ready' | 'ended' | 'not-ready' }
  /** It waits for a person: a login, a dialog, a menu that no question of the template answers, or that it must not. */
  | { readonly is: 'waiting'; readonly reason: string | undefined }

const personsQuestion = 'the project has settings of its own, so a person has to answer its question'

/** The longest time between two checks, for screens that never stop changing and for screens that do not change. */
const stepMs = 500
/** A program may take this long to show that its question was answered. */
const answeredMs = 5_000

/**
 * Waits until the screen matches the `ready` pattern (or, without one, shows anything) and the output pauses. Answers
 * each question of the template once, unless a person has to. A program without a pattern is ready after the fallback
 * time; a program with a pattern is never ready because of time alone.
 */
export async function becomeReady(
  { terminal, currentActivity, mayAnswer, noteAnswer }: PromptedSession,
  rules: PromptRules,
  signal: AbortSignal,
): Promise<Readiness> {
  const deadline = performance.now() + rules.fallbackMs
  const leftMs = () => Math.max(0, deadline - performance.now())
  const open = new Set(rules.questions)
  let answered: { readonly shows: Pattern; readonly at: number } | undefined
  let waitsSince: number | undefined
  const isShown = (text: string) => (rules.ready ? rules.ready.test(text) : text.trim() !== '')
  const isStill = ({ quietMs }: ScreenState): CheckResult =>
    quietMs >= rules.quietMs ? 'met' : { againInMs: rules.quietMs - quietMs }

  for (;;) {
    const stillWithinMs = Math.min(leftMs(), rules.quietMs + stepMs)
    const still = await waitForScreen(terminal, { timeoutMs: stillWithinMs, signal }, isStill)
    if (still === 'ended') return { is: 'ended' }
    const { offset } = terminal
    const text = terminal.screen.text()
    const asked = [...open].find(({ shows }) => shows.test(text))
    const isBeingAnswered = answered?.shows.test(text) && performance.now() - answered.at < answeredMs
    if (asked && still === 'met') {
      const { reason: question } = await currentActivity()
      // Also if no rule knows the question: a typed prompt with Enter would answer it.
      if (!(await mayAnswer())) return { is: 'waiting', reason: question ?? personsQuestion }
      await noteAnswer({ question, shows: asked.source, keys: asked.keys })
      // Meanwhile the person may have answered.
      if (terminal.offset !== offset) continue
      open.delete(asked)
      answered = { shows: asked.shows, at: performance.now() }
      terminal.write(encodeKeys(asked.keys, terminal.screen.modes).bytes)
    } else if (asked || isBeingAnswered) {
      if (leftMs() === 0) return { is: 'not-ready' }
    } else {
      const { is, reason } = await currentActivity()
      // Waits for two such readings: a screen that is being drawn may look like anything.
      if (is !== 'waiting') waitsSince = undefined
      else if (waitsSince !== undefined && performance.now() - waitsSince >= rules.quietMs) return { is, reason }
      else waitsSince ??= performance.now()
      const isReady = still === 'met' && isShown(text) && terminal.offset === offset
      if (isReady && is !== 'waiting') return { is: 'ready' }
      if (leftMs() === 0 && is !== 'waiting') return { is: rules.ready ? 'not-ready' : 'ready' }
    }
    const timeoutMs = Math.min(leftMs() || stepMs, stepMs)
    await waitForScreen(terminal, { timeoutMs, signal }, (now) => (now.offset === offset ? 'not-yet' : 'met'))
  }
}

export async function deliver(
  session: PromptedSession,
  text: string,
  rules: PromptRules,
  signal: AbortSignal,
): Promise<Delivery> {
  const { terminal, currentActivity, connected } = session
  const notSent = (reason: string): Delivery => ({ delivered: false, reason, screen: screenTail(terminal) })
  return orWhyNot(async () => {
    const readiness = await becomeReady(session, rules, signal)
    switch (readiness.is) {
      case 'ended':
        return { delivered: false, reason: 'The program ended before it got the prompt.' }
      case 'waiting':
        return notSent(`The session waits for a person${why(readiness.reason)}. Answer that, then send the prompt.`)
      case 'not-ready':
        return notSent('The program was not ready for a prompt in time. Look at its screen, then send the prompt.')
      case 'ready':
    }
    if (rules.connects) await connected(signal)
    const mayEnter = async () => (await currentActivity()).is !== 'waiting'
    if (!(await mayEnter()))
      return notSent(
        `The session waits for a person${why((await currentActivity()).reason)}. Answer that, then send the prompt.`,
      )
    const typed = await type(terminal, text, { enter: true, pasted: rules.pasted, signal, mayEnter })
    if (!typed.isEntered) {
      const problem = typed.echo === 'missing' ? 'the program does not show it' : 'the session now waits for a person'
      return notSent(`The prompt was typed, but ${problem}, so the hub did not press Enter. Look at its screen.`)
    }
    return wasTaken(terminal, typed, rules, signal)
  })
}

function why(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`
}

async function orWhyNot(give: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await give()
  } catch (error) {
    return { delivered: false, reason: messageOf(error) }
  }
}

/**
 * The program itself has to show that it took the prompt: with a pattern that only a working agent matches, or with an
 * input box that is empty again, which counts only if the text was in it before. A program without patterns has to
 * print something; the line break that the terminal echoes does not count.
 */
async function wasTaken(terminal: Terminal, typed: Typed, rules: PromptRules, signal: AbortSignal): Promise<Delivery> {
  const { taken, emptied } = rules
  const hasPattern = taken !== undefined || emptied !== undefined
  const isTaken = ({ text }: ScreenState) => taken?.test(text) || (typed.echo === 'shown' && emptied?.test(text))
  const isAnswered = () => /\S/.test(terminal.readOutput(typed.enteredAt, answerBytes).bytes.toString('latin1'))
  const outcome = await waitForScreen(terminal, { timeoutMs: hasPattern ? takenMs : answerMs, signal }, (state) =>
    state.offset > typed.enteredAt && (hasPattern ? isTaken(state) : isAnswered()) ? 'met' : 'not-yet',
  )
  switch (outcome) {
    case 'met':
      return { delivered: true }
    case 'ended':
      return { delivered: false, reason: 'The program ended when it got the prompt.' }
    case 'timed-out':
      return { delivered: false, reason: `${whyUnseen(typed, hasPattern)} Look at it with read_screen.` }
  }
}

function whyUnseen({ echo }: Typed, hasPattern: boolean): string {
  if (hasPattern) return 'The prompt was typed, but nothing on the screen shows that the program took it.'
  const seen = echo === 'shown' ? 'the screen shows only its echo' : 'the screen shows no answer'
  return `The prompt was typed, but ${seen}, and the template does not say how to see that a prompt was taken ("prompt": {"taken": …}).`
}

/**
 * For a program that got the prompt on its command line: it has the prompt once it has started. A program that fails at
 * once did not start, or could not use the prompt.
 */
export async function wasStartedWith(terminal: Terminal, rules: PromptRules, signal: AbortSignal): Promise<Delivery> {
  return orWhyNot(async () => {
    const outcome = await waitForScreen(terminal, { timeoutMs: answerMs, signal }, ({ text, quietMs }) => {
      if (terminal.status.is !== 'running' || text === '') return 'not-yet'
      return quietMs >= rules.quietMs ? 'met' : { againInMs: rules.quietMs - quietMs }
    })
    const { status } = terminal
    const isWell = outcome !== 'ended' || (status.is === 'exited' && status.code === 0)
    const passed = 'The prompt was passed on the command line'
    return isWell
      ? { delivered: true, reason: `${passed}, and the program has started.` }
      : { delivered: false, reason: `${passed}, but the program ended at once. Read its output with tail_log.` }
  })
}
