/**
 * Watches what a session is doing: working, waiting for a person, or idle.
 *
 *   output, reports → check, at most every 100 ms → evidence → classification → debounce → listeners
 *
 * The agent's own report counts most (from its hook, then from its title), then the rules for its screen. Without
 * rules, the time since the last output decides. Those steps are pure (`classify-screen.ts`, `classify-activity.ts`,
 * `debounce.ts`); this file decides when to check, and reads the screen.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity, AgentReport } from '../../../api/session.ts'
import type { Terminal } from '../../../terminal/terminal.ts'
import type { ActivityRules } from './activity-rules.ts'
import type { Evidence } from './classify-activity.ts'
import { classifyActivity } from './classify-activity.ts'
import type { Debounced } from './debounce.ts'
import { debounce } from './debounce.ts'
import { classifyScreen } from './classify-screen.ts'

export type { ActivityRules } from './activity-rules.ts'
export { loadActivityRules } from './activity-rules.ts'
export { createProgramRules } from './program-rules.ts'

export interface ActivityWatch extends Disposable {
  readonly current: Activity
  /** The names of the programs in the foreground. `undefined`: it has not looked yet. */
  readonly programs: readonly string[] | undefined
  /** Takes a report of the agent. */
  report(report: AgentReport): void
  /** Checks now, for callers that are about to type. Unlike `current`, the result is not debounced. */
  check(): Promise<Omit<Activity, 'since'>>
}

export interface ActivityWatchOptions {
  readonly terminal: Pick<
    Terminal,
    'status' | 'offset' | 'screen' | 'isDrawn' | 'isIdle' | 'foregroundPrograms' | 'onChange'
  >
  /** The rules for programs without rules of their own. `undefined`: only reports and quiet time count. */
  readonly rules: ActivityRules | undefined | Promise<ActivityRules | undefined>
  /** The rules for a program, since an agent may have been started in a shell. `undefined` if it has none. */
  readonly rulesOf?: (program: string) => Promise<ActivityRules | undefined>
  /** A program is quiet after this time without output. */
  readonly quietMs?: number
  /** The last activity that an earlier hub knew. */
  readonly last?: Activity | undefined
  /** Redacts the reason: it may come from a command line, and notifications send it outside. */
  readonly redact?: (text: string) => string
  readonly now?: () => Date
  /** Called once for each change of the activity or its reason. */
  onChange(activity: Activity): void
  /** Other programs run in the foreground. */
  onPrograms?(): void
}

/**
 * A busy screen changes a thousand times a second. This is often enough for people, and cheap for a hundred sessions.
 */
const checkEveryMs = 100
/** A shell echoes a command before it runs it, and a silent command then prints nothing more. */
const shellCheckAgainMs = 400
/** A menu does not move. Searching for one on a screen that changes all the time would cost too much. */
const settledMs = 300
/** Asking the system for the running program costs more than reading the screen. */
const programEveryMs = 1_000
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
  let ownRules: ActivityRules | undefined
  let rules: ActivityRules | undefined
  let isLoading = true
  let programs: readonly string[] | undefined
  let programsOffset = -1
  let programsCheckedAt = Number.NEGATIVE_INFINITY
  let debounced: Debounced = {
    activity: last ?? { is: 'unknown', since: startedAt.toISOString(), source: 'none', confidence: 0 },
    pause: undefined,
  }
  let remembered = last
  let lastReport = last && reportIn(last, startedAt)
  let seen: Evidence['seen']
  let seenOffset = -1
  let seenSettled = false
  let printedAt = last?.source === 'quiet' ? Date.parse(last.since) : undefined
  let offset = terminal.offset
  let checkedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let checking: Promise<void> | undefined
  /** Something was printed while a check was running. */
  let isCheckMissed = false
  let isDisposed = false

  function wakeAt(at: number): void {
    if (isDisposed || at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(
      () => {
        wakesAt = Number.POSITIVE_INFINITY
        void check()
      },
      Math.max(0, at - now().getTime()),
    ).unref()
  }

  function checkSoon(): void {
    wakeAt(Math.max(now().getTime(), checkedAt + checkEveryMs))
  }

  async function check(): Promise<void> {
    if (isDisposed) return
    if (checking) {
      isCheckMissed = true
      return
    }
    checkedAt = now().getTime()
    // A hub that starts with many sessions has no time to draw all their screens at once.
    if (terminal.isDrawn) await readOnce(false)
    if (!isDisposed) update()
  }

  async function readOnce(isAsked: boolean): Promise<void> {
    checking = readPrograms(isAsked).then(() => readScreen(isAsked))
    try {
      await checking
    } finally {
      checking = undefined
      if (isCheckMissed) checkSoon()
      isCheckMissed = false
    }
  }

  /**
   * A program that has just started prints something, or a shell echoes its command a moment before it runs. If nothing
   * was printed, the program is still the same.
   */
  async function readPrograms(isAsked: boolean): Promise<void> {
    if (!options.rulesOf || isLoading || terminal.status.is !== 'running') return
    const settledAt = (printedAt ?? 0) + programEveryMs
    if (terminal.offset === programsOffset && programsCheckedAt >= settledAt) return
    const at = now().getTime()
    if (!isAsked && at < programsCheckedAt + programEveryMs) return wakeAt(programsCheckedAt + programEveryMs)
    programsCheckedAt = at
    programsOffset = terminal.offset
    if (at < settledAt) wakeAt(settledAt)
    const found = await terminal.foregroundPrograms()
    useRules((await rulesOfPrograms(found)) ?? ownRules)
    // A program runs, so an empty list means that the system did not say which.
    if (isDisposed || found.length === 0 || programs?.join('/') === found.join('/')) return
    programs = found
    options.onPrograms?.()
  }

  async function rulesOfPrograms(found: readonly string[]): Promise<ActivityRules | undefined> {
    for (const program of found) {
      const ofProgram = await options.rulesOf?.(program)
      if (ofProgram) return ofProgram
    }
    return undefined
  }

  function useRules(next: ActivityRules | undefined): void {
    if (next === rules) return
    rules = next
    seen = undefined
    seenOffset = -1
  }

  async function readScreen(isAsked: boolean): Promise<void> {
    checkedAt = now().getTime()
    if (isLoading || terminal.status.is !== 'running') return
    const settledAt = (printedAt ?? 0) + settledMs
    const isSettled = isAsked || seen?.is === 'waiting' || checkedAt >= settledAt
    if (!isSettled) wakeAt(settledAt)
    const needShell = rules?.needShell ?? false
    // Only output changes the screen.
    if (terminal.offset === seenOffset && isSettled === seenSettled && !needShell) return
    if (needShell && terminal.offset !== seenOffset) wakeAt(checkedAt + shellCheckAgainMs)
    const isFirstLook = seenOffset === -1
    seenOffset = terminal.offset
    seenSettled = isSettled
    const shownAt = printedAt ?? startedAt.getTime()
    const shell = needShell ? await shellNow() : undefined
    if (isDisposed) return
    const { screen } = terminal
    const line = (index: number) => screen.row(index).text
    const reading = classifyScreen(rules, { title: screen.title, shell, isSettled, lineCount: screen.size.rows, line })
    // A screen that was drawn before the first look at it is as old as its last output.
    const drawnAt = remembered ? startedAt.getTime() : isFirstLook ? shownAt : checkedAt
    if (rules || reading) remembered = undefined
    seen = reading && { ...reading, since: reading.is === seen?.is ? seen.since : drawnAt }
  }

  async function shellNow(): Promise<'prompt' | 'running'> {
    return (await terminal.isIdle()) ? 'prompt' : 'running'
  }

  function classifyNow(at: number) {
    const isOver = terminal.status.is !== 'running'
    const hasRules = isLoading || rules !== undefined
    const { isReportSpent, againAt, ...classified } = classifyActivity({
      now: at,
      isOver,
      report: lastReport,
      seen,
      remembered,
      hasRules,
      printedAt,
      quietMs,
    })
    if (isReportSpent) lastReport = undefined
    const { reason } = classified
    return { againAt, activity: { ...classified, ...(reason !== undefined && { reason: redact(reason) }) } }
  }

  function update(): void {
    const at = now().getTime()
    const { againAt, activity: classified } = classifyNow(at)
    const before = debounced.activity
    debounced = debounce(debounced, classified, at)
    if (againAt !== undefined) wakeAt(againAt)
    if (debounced.pause) wakeAt(debounced.pause.endsAt)
    const { activity } = debounced
    if (activity.is !== before.is || activity.reason !== before.reason) onChange(activity)
  }

  const stopListening = terminal.onChange(() => {
    if (terminal.offset !== offset) {
      offset = terminal.offset
      printedAt = now().getTime()
    }
    checkSoon()
  })
  const loading = Promise.resolve(options.rules).then((loaded) => {
    ownRules = loaded
    isLoading = false
    useRules(loaded)
    checkSoon()
  })

  return {
    get current() {
      return debounced.activity
    },
    get programs() {
      return programs
    },
    report(said) {
      lastReport = { ...said, at: now().getTime() }
      update()
    },
    async check() {
      await loading
      await checking
      await readOnce(true)
      if (!isDisposed) update()
      const { againAt, activity } = classifyNow(now().getTime())
      if (activity.is !== 'waiting' || againAt === undefined) return activity
      // The agent reported that it waits, and its screen contradicts that. Wait until it is decided which one counts.
      await sleep(againAt - now().getTime(), undefined, { ref: false })
      return classifyNow(now().getTime()).activity
    },
    [Symbol.dispose]() {
      isDisposed = true
      clearTimeout(timer)
      stopListening()
    },
  }
}

/**
 * A report is still known after the hub restarts. A report that the agent waits is dated to the restart, so that the
 * first look at the screen does not contradict it: no person could answer meanwhile. Any other report may be out of
 * date.
 */
function reportIn({ is, reason, source, confidence, since }: Activity, startedAt: Date): Evidence['report'] {
  if (is === 'unknown' || source !== 'agent' || confidence < 1) return undefined
  return { is, reason, at: is === 'waiting' ? startedAt.getTime() : Date.parse(since) }
}
