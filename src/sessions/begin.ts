/** The beginning of a session's life: its program is started and followed, questions are answered, the prompt is typed. */
import { isOver } from '../api/session.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { LaunchExtras, Launcher, TemplateSource } from './launch.ts'
import { isOfTemplate } from './program.ts'
import type { Delivery } from './prompt.ts'
import { becomeReady, deliver, readPromptRules, wasStartedWith } from './prompt.ts'
import type { RunningOptions, RunningSessions, SessionSocket } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord } from './session-store.ts'

export interface BeginOptions extends Pick<RunningOptions, 'openSocket'> {
  readonly book: SessionBook
  readonly ends: Pick<SessionEnds, 'note'>
  readonly launcher: Launcher
  readonly templates: TemplateSource
  readonly running: RunningSessions
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
  /** Ends what is still typed when the hub stops. */
  readonly stopping: AbortSignal
}

export interface Beginning {
  /** From a stored record to a program that runs and is followed. A failure is noted on the record, and thrown. */
  launch(record: SessionRecord, extras?: LaunchExtras): Promise<Terminal>
  /** The same with a program that is started, or found, in another way. */
  take(record: SessionRecord, start: StartTerminal): Promise<Terminal>
  /** Its program runs. */
  noteStart(record: SessionRecord): Promise<SessionRecord>
  /** Answers questions on the way, and types the prompt if there is one. */
  prompt(
    record: SessionRecord,
    terminal: Terminal,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<Delivery | undefined>
}

type StartTerminal = (socketPath: string | undefined) => Promise<Terminal>

export function createBeginning(options: BeginOptions): Beginning {
  const { book, ends, launcher, templates, running, events, log, stopping, openSocket } = options

  async function launch(record: SessionRecord, extras: LaunchExtras = {}): Promise<Terminal> {
    return take(record, (socketPath) => launcher.start(record, { ...extras, socketPath }))
  }

  async function take(record: SessionRecord, start: StartTerminal): Promise<Terminal> {
    const { terminal, socket } = await startProgram(record, start)
    await running.follow(await noteStart(record), terminal, socket)
    return terminal
  }

  async function startProgram(record: SessionRecord, start: StartTerminal) {
    let socket: SessionSocket | undefined
    try {
      // One with a name of its own is open before the program starts, which is told of it.
      if (record.socketName !== undefined) socket = await openSocket(record, 0)
      return { terminal: await start(socket?.path), socket }
    } catch (error) {
      await socket?.close()
      await noteFailure(record.id, messageOf(error))
      throw error
    }
  }

  async function noteFailure(id: string, lastMessage: string): Promise<void> {
    try {
      await ends.note(id, ({ isStopAsked }) => ({ status: isStopAsked ? 'stopped' : 'failed', lastMessage }))
    } catch (error) {
      log.error({ session: id, error }, 'that a session could not be started is not stored')
    }
  }

  /** Whatever cannot be noted, its program is there by now, and is not left alone. */
  async function noteStart(record: SessionRecord): Promise<SessionRecord> {
    const { id, name } = record
    const startedAt = new Date().toISOString()
    let started: SessionRecord | undefined
    try {
      started = await book.change(id, ({ status }) => (isOver(status) ? undefined : { status: 'running', startedAt }))
      await events.append({ type: 'session-started', session: id, payload: { name } })
    } catch (error) {
      log.error({ session: id, error }, 'the start of a session could not be stored')
    }
    return started ?? record
  }

  return {
    launch,
    take,
    noteStart,
    async prompt(record, terminal, text, signal) {
      try {
        const { template } = templates.find(record.template)
        const rules = await readPromptRules(template)
        if (text === undefined) {
          // Questions are answered for those who have nothing to say, too.
          if (rules.questions.length > 0) void becomeReady(terminal, rules, stopping).catch(() => {})
          return undefined
        }
        const giving = AbortSignal.any([signal, stopping])
        const isArgument = isOfTemplate(record, template) && isPassedAsArgument(record)
        return await (isArgument ? wasStartedWith(terminal, rules, giving) : deliver(terminal, text, rules, giving))
      } catch (error) {
        // The template was changed meanwhile, or its patterns are none: the session runs all the same.
        if (!(error instanceof HubError)) throw error
        return text === undefined ? undefined : { delivered: false, reason: error.message }
      }
    },
  }
}

function isPassedAsArgument({ command, args }: SessionRecord): boolean {
  return command.includes('{prompt}') || (args?.some((arg) => arg.includes('{prompt}')) ?? false)
}
