import { HubError } from '../../base/hub-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { waitForScreen } from './wait-for-screen.ts'

const withinMs = 10_000

/** The opposite of adopting: the hub disconnects from a program in tmux, which continues there. */
export async function releasePane(name: string, terminal: Terminal): Promise<void> {
  terminal.releaseProgram()
  const { signal } = new AbortController()
  const outcome = await waitForScreen(terminal, { timeoutMs: withinMs, signal }, () => 'not-yet')
  if (outcome === 'ended') return
  throw new HubError(
    'unavailable',
    `"${name}" was not released: ${terminal.fault ?? 'an older version of the hub started its holder, which cannot release it.'}`,
  )
}
