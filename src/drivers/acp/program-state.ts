/** The program of an agent, in the words of a run. */
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Run } from '../port/driver.ts'

export function statusOf({ status }: PipedProgram): Run['status'] {
  switch (status.is) {
    case 'running':
      return { is: 'running', pid: status.pid, holderPid: status.holderPid }
    case 'exited':
      return { is: 'exited', code: status.code, signal: status.signal }
    case 'lost':
      return { is: 'lost' }
  }
}

const lastWords = 400

export function howItEnded(program: PipedProgram): string {
  const said = program.stderr().toString().trim().slice(-lastWords)
  return `The agent's program ended${said === '' ? '.' : `: ${said}`}`
}
