/** Ends a program on pipes and its process group. Resolves when the program is gone. */
import { setTimeout } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'

const graceMs = 3_000
const killMs = 5_000

export async function stopPipedProgram(program: PipedProgram): Promise<void> {
  if (await endsAfter(program, 'SIGTERM', graceMs)) return
  if (await endsAfter(program, 'SIGKILL', killMs)) return
  throw new HubError('unavailable', 'The program does not end, not even after SIGKILL. Check it with get_session.')
}

async function endsAfter(program: PipedProgram, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const isOver = () => program.status.is !== 'running'
  const stopListening = program.onChange(() => {
    if (isOver()) resolve()
  })
  const enough = new AbortController()
  try {
    if (isOver()) return true
    program.signal(signal)
    const limit = setTimeout(timeoutMs, undefined, { signal: enough.signal }).catch(() => {})
    await Promise.race([ended, limit])
    return isOver()
  } finally {
    enough.abort()
    stopListening()
  }
}
