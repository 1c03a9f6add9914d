/** The run of a session whose server has ended while no hub followed it. */
import type { Run, RunStatus } from '../port/driver.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import { whyEnded } from './server-program.ts'

export function createEndedRun(server: PipedProgram, terminal: Run | undefined): Run {
  const { status: ended } = server
  // An interface without its server is of no use.
  const isLeft = terminal?.status.is === 'running'
  if (isLeft) void terminal.stop().catch(() => {})
  const outcome: RunStatus = ended.is === 'exited' ? { ...ended, reason: whyEnded(server) } : ended
  return {
    get status() {
      return terminal && (!isLeft || terminal.status.is === 'running') ? terminal.status : outcome
    },
    activity: { is: 'idle', since: new Date().toISOString(), source: 'exit', confidence: 1 },
    fault: undefined,
    hasThread: true,
    ...(terminal?.terminal && { terminal: terminal.terminal }),
    ...(terminal?.tail && { tail: (lines, options) => terminal.tail!(lines, options) }),
    onChange: (listener) => terminal?.onChange(listener) ?? (() => {}),
    prompt: async () => ({ delivered: false, reason: 'The session has ended.' }),
    stop: async () => terminal?.stop(),
    [Symbol.dispose]() {
      terminal?.[Symbol.dispose]()
      server.release()
    },
  }
}
