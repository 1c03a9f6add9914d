/**
 * Classifies the activity of a session from all evidence: the agent's own report first, then what the rules read from
 * its title and screen, then, without rules, the time since the last output.
 */
import type { Activity, AgentReport } from '../../../api/session.ts'
import type { ScreenReading } from './classify-screen.ts'

export interface Evidence {
  readonly now: number
  readonly isOver: boolean
  /** The last report of the agent, until the screen contradicts it. */
  readonly report: (AgentReport & { readonly at: number }) | undefined
  /** The activity that the rules read from the screen, and since when. */
  readonly seen: (ScreenReading & { readonly since: number }) | undefined
  /** The last activity an earlier hub knew, until the screen is read or, without rules, something is printed. */
  readonly remembered: Omit<Activity, 'since'> | undefined
  /** With rules, a screen that matches none is not idle because it is quiet: it may be starting, or want a login. */
  readonly hasRules: boolean
  /** `undefined`: nothing was printed yet. */
  readonly printedAt: number | undefined
  readonly quietMs: number
}

export interface Classification extends Omit<Activity, 'since'> {
  /** The screen has contradicted the agent's report, which must not count again. */
  readonly isReportSpent: boolean
  /** The time at which the classification changes even if nothing happens. */
  readonly againAt?: number
}

/** Between two steps an agent looks idle. The report outweighs an idle screen for this long. */
const lagMs = 2_000

export function classifyActivity(evidence: Evidence): Classification {
  const { now, isOver, report, seen, remembered } = evidence
  if (isOver) return { is: 'idle', source: 'exit', confidence: 1, isReportSpent: true }
  const contradictedAt = report && seen ? contradictionTime(report, seen) : undefined
  const isReportSpent = contradictedAt !== undefined && contradictedAt <= now
  if (report && !isReportSpent) {
    const { is } = report
    const reason = waitingReason(report, seen)
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
    const { since: _, isReasonSpecific: __, ...reading } = seen
    return { ...reading, isReportSpent }
  }
  if (remembered && (evidence.hasRules || evidence.printedAt === undefined)) {
    const { is, reason, source, confidence } = remembered
    return { is, ...(reason !== undefined && { reason }), source, confidence, isReportSpent }
  }
  return { ...classifyByQuietTime(evidence), isReportSpent }
}

/**
 * A rule for a dialog can name the command. A hook names only the tool, which still beats "Do you want to proceed?".
 */
function waitingReason({ is, reason }: AgentReport, seen: Evidence['seen']): string | undefined {
  if (is !== 'waiting' || seen?.is !== 'waiting') return reason
  return (seen.isReasonSpecific ? seen.reason : undefined) ?? reason ?? seen.reason
}

/**
 * When the screen starts to outweigh the report: agents call no hook when a person interrupts or answers. If the screen
 * has not changed since the report, it does not contradict it.
 */
function contradictionTime(
  report: NonNullable<Evidence['report']>,
  seen: NonNullable<Evidence['seen']>,
): number | undefined {
  if (seen.is === report.is || seen.since <= report.at) return undefined
  return seen.is === 'idle' ? seen.since + lagMs : seen.since
}

function classifyByQuietTime({ now, hasRules, printedAt, quietMs }: Evidence): Omit<Classification, 'isReportSpent'> {
  if (hasRules || printedAt === undefined) return { is: 'unknown', source: 'none', confidence: 0 }
  const quietAt = printedAt + quietMs
  return now >= quietAt
    ? { is: 'idle', source: 'quiet', confidence: 0.3 }
    : { is: 'working', source: 'quiet', confidence: 0.3, againAt: quietAt }
}
