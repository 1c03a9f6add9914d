/** What the end of a terminal means for the session. */
import type { TerminalLife } from '../terminal/terminal.ts'
import type { SessionRecord } from './session-store.ts'

export type EndedLife = Exclude<TerminalLife, { is: 'running' }>
type End = Pick<SessionRecord, 'status' | 'exitCode' | 'exitSignal' | 'lastMessage'>

export function endOf(life: EndedLife, record: Pick<SessionRecord, 'isStopAsked' | 'lastMessage'>): End {
  switch (life.is) {
    case 'lost':
      return {
        status: record.isStopAsked ? 'stopped' : 'failed',
        exitCode: undefined,
        exitSignal: undefined,
        lastMessage:
          'The process that held its terminal is gone, and how its program ended is not known. What it printed is kept.',
      }
    case 'exited': {
      const { code, signal, reason } = life
      const isWell = code === 0
      return {
        status: record.isStopAsked ? 'stopped' : isWell ? 'completed' : 'failed',
        exitCode: code ?? undefined,
        exitSignal: signal ?? undefined,
        lastMessage: isWell || record.isStopAsked ? record.lastMessage : (reason ?? howItEnded(code, signal)),
      }
    }
  }
}

function howItEnded(code: number | null, signal: string | null): string {
  return signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`
}
