/**
 * What a session is doing now: working, waiting for a person, or idle.
 *
 *   output, reports → look, at most so often → evidence → decision → held if it seems to pause → whoever listens
 *
 * The agent's own word counts most (a hook of its own, then its title), then the rules for its screen, then, where it
 * has none, how quiet it is. Deciding is pure (`judge.ts`, `decide.ts`, `hold.ts`); here stands what looks, and when.
 */
import type { Activity } from '../api/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { ActivityRules } from './activity-rules.ts'
import type { Evidence } from './decide.ts'
import { decide } from './decide.ts'
import type { Held } from './hold.ts'
import { hold } from './hold.ts'
import { judge } from './judge.ts'
import type { AgentReport } from './report.ts'

export type { ActivityRules } from './activity-rules.ts'
export { loadActivityRules } from './activity-rules.ts'
export type { AgentReport } from './report.ts'
export { createReportProvider } from './report.ts'
export { waitingNotification } from './waiting-notification.ts'

export interface ActivityWatch extends Disposable {
  readonly current: Activity
  /** What the agent itself says. */
  signal(report: AgentReport): void
}

export interface ActivityWatchOptions {
  readonly terminal: Pick<Terminal, 'life' | 'offset' | 'screen' | 'isDrawn' | 'isIdle' | 'onChange'>
  /** `undefined`: it is judged by its reports and by how quiet it is. */
  readonly rules: ActivityRules | undefined | Promise<ActivityRules | undefined>
  /** So long without output is quiet. */
  readonly quietMs?: number
  /** What an earlier hub knew of it last. */
  readonly last?: Activity | undefined
  /** For what it waits for: that may come from a command line, and people outside are told. */
  readonly redact?: (text: string) => string
  readonly now?: () => Date
  /** Once for each change of what it is doing, or of the reason. */
  onChange(activity: Activity): void
}

/** A busy screen changes a thousand times a second; so often is enough for people, and cheap for a hundred sessions. */
const lookEveryMs = 100
/** A shell echoes a command before it runs it, and a silent command prints nothing more. */
const shellLookAgainMs = 400
const defaultQuietMs = 10_000

export function createActivityWatch(options: ActivityWatchOptions): ActivityWatch {
  const {
    terminal,
    quietMs = defaultQuietMs,
    last,
    redact = (text) => text,
    now = () => new Date(),
    onChange,
  } = options
  const startedAt = now()
  let rules: ActivityRules | undefined
  /** Until it is known that there are none. */
  let hasRules = true
  let held: Held = {
    activity: last ?? { is: 'unknown', since: startedAt.toISOString(), source: 'none', confidence: 0 },
    pause: undefined,
  }
  let remembered = last
  let report = last && reportIn(last, startedAt)
  let seen: Evidence['seen']
  let seenOffset = -1
  let printedAt = last?.source === 'quiet' ? Date.parse(last.since) : undefined
  let offset = terminal.offset
  let lookedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let isLooking = false
  let isDisposed = false

  function wakeAt(at: number): void {
    if (isDisposed || at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(
      () => {
        wakesAt = Number.POSITIVE_INFINITY
        void look()
      },
      Math.max(0, at - now().getTime()),
    ).unref()
  }

  function lookSoon(): void {
    wakeAt(Math.max(now().getTime(), lookedAt + lookEveryMs))
  }

  async function look(): Promise<void> {
    if (isLooking || isDisposed) return
    isLooking = true
    try {
      await readScreen()
    } finally {
      isLooking = false
    }
    if (!isDisposed) conclude()
  }

  async function readScreen(): Promise<void> {
    lookedAt = now().getTime()
    // A hub that comes up with many sessions has no time to draw them all at once.
    if (!rules || terminal.life.is !== 'running' || !terminal.isDrawn) return
    // Nothing but output changes what is shown.
    if (terminal.offset === seenOffset && !rules.needShell) return
    if (rules.needShell && terminal.offset !== seenOffset) wakeAt(lookedAt + shellLookAgainMs)
    seenOffset = terminal.offset
    const shell = rules.needShell ? await shellNow() : undefined
    if (isDisposed) return
    const { screen } = terminal
    const line = (index: number) => screen.row(index).text
    const verdict = judge(rules, { title: screen.title, shell, lineCount: screen.size.rows, line })
    const isFirst = remembered !== undefined
    remembered = undefined
    const since = seen && verdict?.is === seen.is ? seen.since : isFirst ? startedAt.getTime() : lookedAt
    seen = verdict && { ...verdict, since }
  }

  async function shellNow(): Promise<'prompt' | 'running'> {
    return (await terminal.isIdle()) ? 'prompt' : 'running'
  }

  function conclude(): void {
    const at = now().getTime()
    const isOver = terminal.life.is !== 'running'
    const { isReportSpent, againAt, ...decided } = decide({
      now: at,
      isOver,
      report,
      seen,
      remembered,
      hasRules,
      printedAt,
      quietMs,
    })
    if (isReportSpent) report = undefined
    const before = held.activity
    const { reason } = decided
    held = hold(held, { ...decided, ...(reason !== undefined && { reason: redact(reason) }) }, at)
    if (againAt !== undefined) wakeAt(againAt)
    if (held.pause) wakeAt(held.pause.heldUntil)
    const { activity } = held
    if (activity.is !== before.is || activity.reason !== before.reason) onChange(activity)
  }

  const stopListening = terminal.onChange(() => {
    if (terminal.offset !== offset) {
      offset = terminal.offset
      printedAt = now().getTime()
    }
    lookSoon()
  })
  void Promise.resolve(options.rules).then((loaded) => {
    rules = loaded
    hasRules = loaded !== undefined
    lookSoon()
  })

  return {
    get current() {
      return held.activity
    },
    signal(said) {
      report = { ...said, at: now().getTime() }
      conclude()
    },
    [Symbol.dispose]() {
      isDisposed = true
      clearTimeout(timer)
      stopListening()
    },
  }
}

/**
 * An agent's own word outlives the hub it was said to. That it waits stands against what the screen shows at first, since
 * nobody could answer it meanwhile; anything else may be out of date.
 */
function reportIn({ is, reason, source, confidence, since }: Activity, startedAt: Date): Evidence['report'] {
  if (is === 'unknown' || source !== 'agent' || confidence < 1) return undefined
  return { is, reason, at: is === 'waiting' ? startedAt.getTime() : Date.parse(since) }
}
