/**
 * The driver for the built-in agent: a model that the hub calls itself, with a login shell in a terminal. No other
 * program is needed. The shell outlives the hub; a turn that runs when the hub dies is cut, and can be continued.
 */
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { Provider } from '../../mcp/mcp.ts'
import type { Models } from '../../models/models.ts'
import type { Driver, Run, RunSession } from '../port/driver.ts'
import type { AgentFace } from './agent-face.ts'
import type { Inbox } from './inbox.ts'
import { emptyInbox } from './inbox.ts'
import { createLoopProvider } from './loop-tools.ts'
import type { ModelRun } from './model-run.ts'

export interface ModelDriverOptions {
  /** Runs the shell. */
  readonly pty: Pick<Driver, 'start' | 'adopt'>
  readonly models: Models
  readonly redact: (text: string) => string
  readonly log: Log
  /** The correlation of the turn that a session works on. */
  readonly correlationOf?: (session: string) => string | undefined
}

export interface ModelDriver extends Driver {
  /** The hub makes the faces of agents after its drivers. Call this before the first session starts. */
  serve(served: Served): void
  /** A message has come for the agent of this session. */
  wake(session: string): void
  /** The mount `loop`. It is empty for sessions of other drivers. */
  providersOf(session: string): readonly Provider[]
}

interface Served {
  readonly faceOf: (session: string) => AgentFace
  readonly inboxOf?: (session: string) => Promise<Inbox>
}

export function createModelDriver(options: ModelDriverOptions): ModelDriver {
  const { pty, models, redact, log, correlationOf = () => undefined } = options
  const runs = new Map<string, ModelRun>()
  let served: Served | undefined

  async function open(session: RunSession, shell: Run): Promise<Run> {
    if (!served) throw new HubError('unavailable', 'The hub is starting. Try again.')
    const { faceOf, inboxOf = async () => emptyInbox } = served
    // Loaded with the first session, because it would slow the start of every hub.
    const { openModelRun } = await import('./model-run.ts')
    const run = await openModelRun({ session, shell, models, faceOf, inboxOf, correlationOf, redact, log })
    runs.set(session.id, run)
    return run
  }

  return {
    name: 'model',
    abilities: { terminal: true, steer: true, interrupt: true, questions: false },
    whyNot({ model }) {
      try {
        models.find(model?.name)
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    },
    async start(spec) {
      const shell = await pty.start({ ...spec, firstPrompt: 'none' })
      try {
        return await open(spec, shell)
      } catch (error) {
        await shell.stop().catch(() => {})
        shell[Symbol.dispose]()
        throw error
      }
    },
    async adopt(session) {
      const shell = await pty.adopt(session)
      if (!shell) return undefined
      try {
        const run = await open(session, shell)
        runs.get(session.id)?.wake()
        return run
      } catch (error) {
        shell[Symbol.dispose]()
        throw error
      }
    },
    serve(given) {
      served = given
    },
    wake: (session) => runs.get(session)?.wake(),
    providersOf: (session) => [createLoopProvider(() => runs.get(session))],
  }
}
