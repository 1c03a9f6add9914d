/**
 * How an agent gets a thread that another agent began. It sees the earlier prompts, answers, calls and results as those
 * of its own conversation.
 */
import type { AgentName } from '../../api/template.ts'
import type { FormatName } from '../../api/thread.ts'
import type { ProgramEnvironment } from '../../config/config.ts'

/**
 * Part of the ids that handed-over messages get in the agent's own record. Messages that the agent repeats under such
 * an id are in the thread already.
 */
export const handedOverMark = 'handed-over-'

export interface EarlierThread {
  /** Its messages, in an order that every provider takes. The ids of calls have the mark. */
  messagesIn(format: FormatName): readonly unknown[]
  /** The same as text, for people and for an agent that takes nothing else. */
  asText(): string
}

export interface HandOverPlace {
  /** The folder for the files of the session. It exists. */
  readonly directory: string
  readonly workspacePath: string
  readonly env: ProgramEnvironment
  /** The model that was asked for, in the words of the agent. */
  readonly model: string | undefined
  /** Runs the program of the session, with its sandbox, and returns what it prints. */
  run(program: HandOverProgram): Promise<string>
}

export interface HandOverProgram {
  readonly args: readonly string[]
  /** Added to that of the session. */
  readonly env: ProgramEnvironment
  /** Files in the folder that it reads. */
  readonly files?: readonly string[]
  readonly needsNetwork?: boolean
}

export interface HandedOver {
  /** The id of the agent's conversation, if it is known before the agent starts. The agent resumes it. */
  readonly conversation?: string
  /** The arguments that make the agent continue the thread, instead of those that resume a conversation. */
  readonly args?: readonly string[]
}

export type HandOver = (thread: EarlierThread, place: HandOverPlace) => Promise<HandedOver>

/** Of the agents that get the thread before they start. */
export type HandOvers = Readonly<Partial<Record<AgentName, () => Promise<HandOver>>>>
