/** Reports the progress of an action. Clients give up on a call that is silent, and most models are. */
import type { ReportProgress } from './route.ts'

export interface ActionProgress extends Disposable {
  /** Passes on the progress of the way that is being asked. */
  readonly report: ReportProgress
  asking(name: string): void
}

/** Shorter than the shortest time that clients wait without progress. */
const silentMs = 10_000

export function createProgress(send: ReportProgress = () => {}): ActionProgress {
  let last = 0
  let waitsFor = ''
  let isSilent = true
  const report: ReportProgress = ({ progress, total, message }) => {
    isSilent = false
    const isAhead = progress > last
    // The number must grow, even when the next way starts from zero.
    last = isAhead ? progress : last + 1
    send({
      progress: last,
      ...(isAhead && total !== undefined && { total }),
      ...(message !== undefined && { message }),
    })
  }
  const timer = setInterval(() => {
    if (isSilent) report({ progress: last + 1, message: `waiting for ${waitsFor}` })
    isSilent = true
  }, silentMs)
  return {
    report,
    asking: (name) => void (waitsFor = name),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
