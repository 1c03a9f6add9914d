/** Ends a program on pipes and its process group. Resolves when the program is gone. */
import { HubError } from '../../base/hub-error.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'

const graceMs = 3_000
const killMs = 5_000

export async function stopPipedProgram(program: PipedProgram): Promise<void> {
  if (await endsAfter(program, 'SIGTERM', graceMs)) return
  // The holder reports the end after the last output, but a full journal takes no more. The rest is not needed now, so
  // it is discarded.
  const discard = () => program.processed(program.offset)
  discard()
  const stopDiscarding = program.onChange(discard)
  const hasEnded = await endsAfter(program, 'SIGKILL', killMs).finally(stopDiscarding)
  if (hasEnded) return
  throw new HubError('unavailable', 'The program does not end, not even after SIGKILL. Check it with get_session.')
}

async function endsAfter(program: PipedProgram, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  const isOver = () => program.status.is !== 'running' || undefined
  if (isOver()) return true
  program.signal(signal)
  const ended = await waitUntil({
    sources: [(listener) => program.onChange(listener)],
    look: isOver,
    timeoutMs,
    signal: new AbortController().signal,
  })
  return ended === true
}
