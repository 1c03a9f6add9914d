/**
 * What a session is doing, from all that is known: the agent's own word first, then what the rules read from its title
 * and screen, then, where there are no rules, how quiet it is.
 */
import type { Activity } from '../api/session.ts'
import type { AgentReport } from './report.ts'
import type { Verdict } from './judge.ts'

export interface Evidence {
  readonly now: number
  readonly isOver: boolean
  /** What the agent said of itself, until something else is seen. */
  readonly report: (AgentReport & { readonly at: number }) | undefined
  /** What the rules say, and since when. */
  readonly seen: (Verdict & { readonly since: number }) | undefined
  /** What an earlier hub knew of it last, until its screen is seen or, without rules, it prints. */
  readonly remembered: Omit<Activity, 'since'> | undefined
  /** Then a screen that none of them knows is not idle because it is quiet: perhaps it starts, or wants a login. */
  readonly hasRules: boolean
  /** `undefined`: nothing was printed yet. */
  readonly printedAt: number | undefined
  readonly quietMs: number
}

export interface Decision extends Omit<Activity, 'since'> {
  /** What the agent said is out of date, and must not come up again. */
  readonly isReportSpent: boolean
  /** When time alone would change the decision. */
  readonly againAt?: number
}

/** Between two steps an agent looks idle; for so long its word counts more. */
const lagMs = 2_000

export function decide(evidence: Evidence): Decision {
  const { now, isOver, report, seen, remembered } = evidence
  if (isOver) return { is: 'idle', source: 'exit', confidence: 1, isReportSpent: true }
  const contradictedAt = report && seen ? contradiction(report, seen) : undefined
  const isReportSpent = contradictedAt !== undefined && contradictedAt <= now
  if (report && !isReportSpent) {
    const { is, reason } = report
    return {
      is,
      ...(reason !== undefined && { reason }),
      source: 'agent',
      confidence: 1,
      isReportSpent,
      ...(contradictedAt !== undefined && { againAt: contradictedAt }),
    }
  }
  if (seen) {
    const { since: _, ...verdict } = seen
    return { ...verdict, isReportSpent }
  }
  if (remembered && (evidence.hasRules || evidence.printedAt === undefined)) {
    const { is, reason, source, confidence } = remembered
    return { is, ...(reason !== undefined && { reason }), source, confidence, isReportSpent }
  }
  return { ...judgeByQuiet(evidence), isReportSpent }
}

/**
 * When the screen has the last word: no hook is called when a person interrupts, or has answered. A screen that shows what
 * it showed before has not heard of the report, and says nothing against it.
 */
function contradiction(
  report: NonNullable<Evidence['report']>,
  seen: NonNullable<Evidence['seen']>,
): number | undefined {
  if (seen.is === report.is || seen.since <= report.at) return undefined
  return seen.is === 'idle' ? seen.since + lagMs : seen.since
}

function judgeByQuiet({ now, hasRules, printedAt, quietMs }: Evidence): Omit<Decision, 'isReportSpent'> {
  if (hasRules || printedAt === undefined) return { is: 'unknown', source: 'none', confidence: 0 }
  const quietAt = printedAt + quietMs
  return now >= quietAt
    ? { is: 'idle', source: 'quiet', confidence: 0.3 }
    : { is: 'working', source: 'quiet', confidence: 0.3, againAt: quietAt }
}
