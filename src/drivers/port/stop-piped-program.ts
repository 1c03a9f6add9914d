/** Ends a program on pipes and its process group. Resolves when the program is gone. */
import { HubError } from '../../base/hub-error.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'

const promptMs = 100
const graceMs = 3_000
const killMs = 5_000

export async function stopPipedProgram(program: PipedProgram): Promise<void> {
  if (await endsAfter(program, 'SIGTERM', promptMs)) return
  // The holder reports the end after the last output, but a full journal takes no more. The rest is not needed now, so
  // it is discarded.
  const discard = () => program.processed(program.offset)
  discard()
  const stopDiscarding = program.onChange(discard)
  try {
    if ((await endsWithin(program, graceMs)) || (await endsAfter(program, 'SIGKILL', killMs))) return
  } finally {
    stopDiscarding()
  }
  throw new HubError('unavailable', 'The program does not end, not even after SIGKILL. Check it with get_session.')
}

async function endsAfter(program: PipedProgram, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  if (program.status.is === 'running') program.signal(signal)
  return endsWithin(program, timeoutMs)
}

async function endsWithin(program: PipedProgram, timeoutMs: number): Promise<boolean> {
  const ended = await waitUntil({
    sources: [(listener) => program.onChange(listener)],
    look: () => program.status.is !== 'running' || undefined,
    timeoutMs,
    signal: new AbortController().signal,
  })
  return ended === true
}
