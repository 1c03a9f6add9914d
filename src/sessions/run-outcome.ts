/** Turns the end of a run into the end of its session. */
import type { RunStatus } from '../drivers/drivers.ts'
import type { SessionRecord } from './session-store.ts'

export type EndedStatus = Exclude<RunStatus, { is: 'running' }>
type End = Pick<SessionRecord, 'status' | 'exitCode' | 'exitSignal' | 'lastMessage'>

export function endOf(status: EndedStatus, record: Pick<SessionRecord, 'isStopAsked' | 'lastMessage'>): End {
  switch (status.is) {
    case 'lost':
      return {
        status: record.isStopAsked ? 'stopped' : 'failed',
        exitCode: undefined,
        exitSignal: undefined,
        lastMessage:
          'The process that held its terminal is gone, so the hub does not know how its program ended. Its output is kept.',
      }
    case 'exited': {
      const { code, signal, reason, isReleased } = status
      if (isReleased) {
        const lastMessage = 'It was released. Its program keeps running in tmux.'
        return { status: 'completed', exitCode: undefined, exitSignal: undefined, lastMessage }
      }
      const isWell = code === 0
      return {
        status: record.isStopAsked ? 'stopped' : isWell ? 'completed' : 'failed',
        exitCode: code ?? undefined,
        exitSignal: signal ?? undefined,
        lastMessage:
          isWell || record.isStopAsked
            ? record.lastMessage
            : [record.lastMessage, reason ?? howItEnded(code, signal)].filter((text) => text !== undefined).join(' '),
      }
    }
  }
}

function howItEnded(code: number | null, signal: string | null): string {
  return signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`
}
