/**
 * The port between sessions and the programs in them. A driver is one way to talk to an agent. A run is one program
 * under a driver: it begins when the program starts, or when a new hub adopts it, and ends with the program.
 *
 * A driver leaves out the methods it cannot support, so that callers have to check before they call.
 */
import type { FileHandle } from 'node:fs/promises'
import type { Activity, AgentReport, Governed, Question, SessionMode, TerminalSize } from '../../api/session.ts'
import type { Template } from '../../api/template.ts'
import type { Confinement } from '../../base/confinement.ts'
import type { ProgramEnvironment } from '../../config/config.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { EarlierThread } from './hand-over.ts'
import type { OwnToolGate } from './own-tools.ts'
import type { ProjectSetting } from '../project-settings/project-rules.ts'
import type { ThreadWriter } from './thread-writer.ts'

export interface Driver {
  /** The name that templates use. The session record stores it, so that every later hub asks the same driver. */
  readonly name: string
  readonly abilities: Abilities
  /** Why it cannot start a session with this template, and what to do. `undefined`: it can. */
  whyNot?(template: Template): string | undefined
  start(spec: RunSpec): Promise<Run>
  /**
   * Finds the program that an earlier hub started for this session, running or ended. `undefined` means that there is
   * none. Throws if the program may be alive but cannot be reached: "could not check" must never look like "not there".
   */
  adopt(session: RunSession): Promise<Run | undefined>
  /** The ids of sessions whose programs may be alive, with or without a record. Throws if it cannot check. */
  mayBeRunning?(): readonly string[]
  /** Finds and takes over programs that people run in tmux. */
  readonly tmux?: TmuxPanes
}

/** The abilities of every run of the driver, also of one that has ended. */
export interface Abilities {
  readonly terminal: boolean
  /** It accepts text while it works. */
  readonly steer: boolean
  readonly interrupt: boolean
  /** It asks questions that can be answered one by one. */
  readonly questions: boolean
}

/** The part of a session that its driver needs. */
export interface RunSession {
  readonly id: string
  readonly name: string
  readonly backend: 'holder' | 'tmux'
  readonly mode: SessionMode
  readonly workspacePath: string
  /** The folder for the files of the session. It exists. */
  readonly directory: string
  /** The id of the agent's own conversation, if the hub chose it or an earlier session had it. */
  readonly conversation: string | undefined
  /** The model that a person chose. `undefined`: that of the template. */
  readonly model?: string | undefined
  /** `undefined` if the template was deleted or no longer parses. */
  readonly template: Template | undefined
  /** It continues a conversation, so the screen shows the earlier messages again. */
  readonly isResumed: boolean
  /** The last activity that an earlier hub knew. */
  readonly lastActivity: Activity | undefined
  /** `waiting` while a call of its agent is held for an approval; `undefined` if no call is held. */
  heldCall(): HeldActivity | undefined
  /** Resolves when the agent has asked the hub for its tools, or when it has had enough time to. */
  agentConnected(signal: AbortSignal): Promise<void>
  /**
   * Opens a file in which the agent says that it keeps its conversation. Rejects with ENOENT if there is none yet, and
   * with a HubError if the agent may not see such a file.
   */
  openTranscript(path: string): Promise<FileHandle>
  /** Receives everything that the agent says and does. */
  readonly thread: ThreadWriter
  /** Decides about the tools that are built into the agent. */
  readonly ownTools: OwnToolGate
  /** Looks for settings in the project that the agent obeys around the policy. None for an unknown agent. */
  projectSettings(): Promise<readonly ProjectSetting[]>
  /** Records that the hub is about to answer a question on the screen. */
  noteAnswer(answered: AnsweredDialog): Promise<void>
}

export interface AnsweredDialog {
  readonly question: string | undefined
  readonly shows: string
  readonly keys: string
}

export type HeldActivity = Activity & { readonly approval: string }

export interface RunSpec extends RunSession {
  readonly template: Template
  readonly program: {
    readonly file: string
    readonly args: readonly string[]
    readonly cwd: string
    readonly env: ProgramEnvironment
    /** It runs in this sandbox. Its holder puts it there. */
    readonly sandbox?: Confinement | undefined
  }
  readonly size: TerminalSize
  /** The thread so far, by another agent, for a driver that hands it over itself. */
  readonly earlier?: EarlierThread | undefined
  /** How the program gets the first prompt: not at all, as an argument, or by `prompt`. */
  readonly firstPrompt: 'none' | 'argument' | 'given'
}

/** Disposing of a run disconnects from the program but does not end it; the next hub adopts it. */
export interface Run extends Disposable {
  readonly status: RunStatus
  readonly activity: Activity
  /**
   * The activity of the program in the terminal, if that is not the agent itself. An agent that waits for its own
   * session waits for this activity.
   */
  readonly terminalActivity?: Activity | undefined
  /** A problem that people should know about, such as a full disk. */
  readonly fault: string | undefined
  /** Whether it writes everything that the agent says and does to the thread. */
  readonly hasThread?: boolean
  /** The id of the agent's own conversation, if the agent chose it. The session record keeps it, to resume it. */
  readonly conversation?: string | undefined
  /** The only access to the terminal of the session. */
  readonly terminal?: Terminal | undefined
  /** The state of the gate before the agent's own tools, as far as it was seen. `undefined`: there is no gate. */
  readonly governed?: Governed | undefined
  /** The names of the programs in the foreground of its terminal. `undefined`: it has not looked yet. */
  readonly foreground?: readonly string[] | undefined
  /** The question that the agent asks by its own protocol, for `answer`. */
  readonly question?: Question | undefined
  /** Called when the status, activity, fault, question or output may have changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Delivers a prompt as soon as the agent can take one. */
  prompt(text: string, signal: AbortSignal): Promise<Delivery>
  /** Ends the program and everything that runs with it. Resolves when all of it is gone. */
  stop(): Promise<void>
  /** Takes a report of the agent about itself. */
  report?(report: AgentReport): void
  steer?(text: string): Promise<void>
  interrupt?(): Promise<void>
  answer?(question: string, answer: string): Promise<void>
  /** The next turn goes to another model. Throws if the hub cannot call it. */
  useModel?(name: string): void
  /** Takes a message of a hook that the agent runs, and answers in the words of the agent. */
  hook?(message: HookMessage, signal: AbortSignal): Promise<object>
  /** Types text as a person at the keyboard would. */
  type?(text: string, options: TypingOptions): Promise<Typed>
  /** The end of the output. */
  tail?(lines: number, options: { readonly isRaw: boolean }): Promise<LogTail>
  /** Ends the run but not the program, which continues in the person's own terminal. */
  release?(): Promise<void>
}

/** `name` is the last part of the path that the hook uses. */
export interface HookMessage {
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
}

export type RunStatus =
  | {
      readonly is: 'running'
      readonly pid?: number
      /** The process that keeps the program alive without the hub. */
      readonly holderPid?: number
    }
  | {
      readonly is: 'exited'
      readonly code: number | null
      readonly signal: string | null
      /** Set if neither code nor signal explains the end. */
      readonly reason?: string
      /** The hub released the program, which has not ended. */
      readonly isReleased?: boolean
    }
  /** It is not known how it ended. */
  | { readonly is: 'lost' }

export interface Delivery {
  readonly delivered: boolean
  readonly reason?: string
  /** The lowest lines of the screen, if the prompt was not sent. */
  readonly screen?: string
}

export interface TypingOptions {
  readonly enter: boolean
  /** Types and presses Enter even if the session waits for a person or does not show the typed text. */
  readonly force: boolean
  readonly signal: AbortSignal
}

export interface Typed {
  readonly bytes: number
  /** The offset of the first byte of output that may be an answer to the text. */
  readonly typedAt: number
}

export interface LogTail {
  readonly log: string
  readonly lines: number
  readonly offset: number
}

export interface TmuxPanes {
  /** Throws if there is no such pane. */
  find(target: TmuxTarget): Promise<TmuxPane>
  /** Starts nothing and changes nothing in the pane. */
  take(session: RunSession, pane: TmuxPane): Promise<Run>
}

export interface TmuxTarget {
  /** In the syntax of tmux. */
  readonly target: string
  /** A tmux server other than the default one. */
  readonly server?: TmuxServer | undefined
}

/** In the syntax of tmux: `-L` and a name, or `-S` and a path. */
export interface TmuxServer {
  readonly flag: '-L' | '-S'
  readonly value: string
}

export interface TmuxPane extends TmuxTarget {
  readonly id: string
  readonly sessionName: string
  readonly command: string
  readonly cwd: string
  readonly size: TerminalSize
  /** The output of the pane already goes to another program. */
  readonly isPiped: boolean
  /** The session that has, or once had, this pane. */
  readonly ownerSession: string | undefined
}
