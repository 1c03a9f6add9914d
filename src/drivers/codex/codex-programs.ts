/**
 * The programs of a session with Codex: its server, and perhaps its interface. When one ends, the other is ended too.
 */
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Run, RunStatus } from '../port/driver.ts'
import { stopPipedProgram } from '../port/stop-piped-program.ts'
import { whyEnded } from './server-program.ts'

/** Disposing of it disconnects from the interface, but not from the server. */
export interface CodexPrograms extends Disposable {
  readonly status: RunStatus
  readonly isServerRunning: boolean
  readonly fault: string | undefined
  /** The interface. */
  readonly terminal: Run | undefined
  show(terminal: Run): void
  stop(): Promise<void>
}

export interface CodexProgramsOptions {
  readonly session: string
  readonly server: PipedProgram
  readonly log: Log
  readonly onChange: () => void
}

export function createCodexPrograms({ session, server, log, onChange }: CodexProgramsOptions): CodexPrograms {
  let terminal: Run | undefined
  let stopTerminalListening = () => {}
  let fault: string | undefined
  let ending: RunStatus | undefined
  let isServerLost = false
  let isEnding = false
  let isStopAsked = false

  function statusNow(): RunStatus {
    const shown = terminal?.status
    if (server.status.is === 'running') {
      if (!shown || shown.is === 'running') return shown ?? server.status
      // The interface has ended. The session ends when its server is gone too.
      return { is: 'running' }
    }
    if (shown?.is === 'running') return shown
    ending ??= shown && shown.is === 'exited' && !isServerLost ? shown : withReason(server.status)
    return ending
  }

  function withReason(status: RunStatus): RunStatus {
    return status.is === 'exited' && !isStopAsked ? { ...status, reason: whyEnded(server) } : status
  }

  function endTogether(): void {
    const isServerGone = server.status.is !== 'running'
    const isTerminalGone = terminal !== undefined && terminal.status.is !== 'running'
    if (isServerGone && terminal?.status.is === 'running' && !isStopAsked) {
      isServerLost = true
      fault = whyEnded(server)
    }
    if ((isServerGone || isTerminalGone) && !isEnding) {
      void endAll().catch((error: unknown) =>
        log.error({ session, error: messageOf(error) }, 'could not end a session of Codex'),
      )
    }
    onChange()
  }

  async function endAll(): Promise<void> {
    isEnding = true
    await Promise.all([terminal?.stop(), stopPipedProgram(server)])
    onChange()
  }

  const stopServerListening = server.onChange(endTogether)

  return {
    get status() {
      return statusNow()
    },
    get isServerRunning() {
      return server.status.is === 'running'
    },
    get fault() {
      return fault ?? terminal?.fault ?? server.fault
    },
    get terminal() {
      return terminal
    },
    show(shown) {
      terminal = shown
      stopTerminalListening = shown.onChange(endTogether)
      endTogether()
    },
    async stop() {
      isStopAsked = true
      await endAll()
    },
    [Symbol.dispose]() {
      stopServerListening()
      stopTerminalListening()
      terminal?.[Symbol.dispose]()
    },
  }
}
