/**
 * Follows an agent in a terminal by more than its screen: its hooks report and ask, and its own record of the
 * conversation becomes the thread. Each agent has its own kind of companion.
 */
import type { Activity, AgentReport, Governed, Question } from '../../api/session.ts'
import type { AgentName } from '../../api/template.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Delivery, HookMessage, Run, RunSession } from './driver.ts'

export interface Companion extends Disposable {
  readonly governed: Governed
  readonly question: Question | undefined
  /** Set if the companion knows more than the screen: an agent that works may show a question for a moment. */
  readonly activity?: Activity | undefined
  /** As in a run. */
  readonly fault?: string | undefined
  /** False: it cannot read what the agent says. */
  readonly hasThread?: boolean
  /** Gives the agent a prompt without typing. `undefined`: it could not, so the prompt has to be typed. */
  prompt?(text: string, signal: AbortSignal): Promise<Delivery | undefined>
  /** The actions that need no typing. */
  readonly actions: Pick<Run, 'steer' | 'interrupt' | 'answer'>
  /** Answers in the words of the agent. Throws if the agent runs no hook of this name. */
  hook(message: HookMessage, signal: AbortSignal): Promise<object>
}

export interface CompanionContext {
  readonly session: RunSession
  readonly terminal: Terminal
  /** The program was just started. False: an earlier hub started it. */
  readonly isNew: boolean
  /** Takes a report on the agent from a better source than its screen. */
  report(report: AgentReport): void
  /** Ends the program. */
  stop(): void
  /** The companion's properties may have changed. */
  onChange(): void
}

export type OpenCompanion = (context: CompanionContext) => Companion

/** The companions of agents about which the hub knows more than their screen shows. */
export type Companions = Readonly<Partial<Record<AgentName, () => Promise<OpenCompanion>>>>
