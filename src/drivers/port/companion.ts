/**
 * What the hub knows about an agent in a terminal beyond its screen: its hooks report and ask, and its own record of the
 * conversation becomes the thread. Each agent has its own kind of companion.
 */
import type { AgentReport, Governed, Question } from '../../api/session.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { HookMessage, Run, RunSession } from './driver.ts'

export interface Companion extends Disposable {
  readonly governed: Governed
  readonly question: Question | undefined
  /** A problem that people should know about. */
  readonly fault?: string | undefined
  /** What can be done without typing. */
  readonly actions: Pick<Run, 'steer' | 'interrupt' | 'answer'>
  /** Answers in the words of the agent. Throws if the agent runs no hook of this name. */
  hook(message: HookMessage, signal: AbortSignal): Promise<object>
}

export interface CompanionContext {
  readonly session: RunSession
  readonly terminal: Terminal
  /** The program was just started. False: an earlier hub started it. */
  readonly isNew: boolean
  /** Takes what the agent does, from a better source than its screen. */
  report(report: AgentReport): void
  /** The companion's properties may have changed. */
  onChange(): void
}

export type OpenCompanion = (context: CompanionContext) => Companion
