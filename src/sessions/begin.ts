/** The beginning of a session's life: its program is started and followed, questions are answered, the prompt is typed. */
import { messageOf } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { LaunchExtras, Launcher, TemplateSource } from './launch.ts'
import type { Delivery } from './prompt.ts'
import { becomeReady, deliver, readPromptRules } from './prompt.ts'
import type { RunningOptions, RunningSessions, SessionSocket } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export interface BeginOptions extends Pick<RunningOptions, 'openSocket' | 'onEnded'> {
  readonly book: SessionBook
  readonly launcher: Launcher
  readonly templates: TemplateSource
  readonly running: RunningSessions
  readonly events: Pick<EventLog, 'append'>
  /** Ends what is still typed when the hub stops. */
  readonly stopping: AbortSignal
}

export interface Beginning {
  /** From a stored record to a program that runs and is followed. A failure is noted on the record, and thrown. */
  launch(record: SessionRecord, extras?: LaunchExtras): Promise<Terminal>
  /** Answers questions on the way, and types the prompt if there is one. */
  prompt(
    record: SessionRecord,
    terminal: Terminal,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<Delivery | undefined>
}

export function createBeginning(options: BeginOptions): Beginning {
  const { book, launcher, templates, running, events, stopping, openSocket, onEnded } = options
  return {
    async launch(record, extras = {}) {
      let socket: SessionSocket | undefined
      try {
        // One with a name of its own is open before the program starts, which is told of it.
        if (record.socketName !== undefined) socket = await openSocket(record, 0)
        const terminal = await launcher.start(record, { ...extras, socketPath: socket?.path })
        const startedAt = new Date().toISOString()
        const started = await book.change(record.id, () => ({ status: 'running', startedAt }))
        await events.append({ type: 'session-started', session: record.id, payload: { name: record.name } })
        await running.follow(started ?? record, terminal, socket)
        return terminal
      } catch (error) {
        await socket?.close()
        const endedAt = new Date().toISOString()
        const lastMessage = messageOf(error)
        const failed = await book.change(record.id, () => ({ status: 'failed', endedAt, lastMessage }))
        if (failed) await onEnded(failed)
        throw error
      }
    },
    async prompt(record, terminal, text, signal) {
      const rules = await readPromptRules(templates.find(record.template).template)
      if (text === undefined) {
        // Questions are answered for those who have nothing to say, too.
        if (rules.questions.length > 0) void becomeReady(terminal, rules, stopping).catch(() => {})
        return undefined
      }
      if (isPassedAsArgument(record)) return { delivered: true, reason: 'It was passed on the command line.' }
      return deliver(terminal, text, rules, AbortSignal.any([signal, stopping]))
    },
  }
}

function isPassedAsArgument({ command, args }: SessionRecord): boolean {
  return command.includes('{prompt}') || (args?.some((arg) => arg.includes('{prompt}')) ?? false)
}
