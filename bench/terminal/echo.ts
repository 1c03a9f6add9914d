/** The time from a key that one client presses until another client, which waits for it, sees the echo. */
import type { BenchHub } from './bench-hub.ts'
import { type Output, openClient } from './mcp-client.ts'
import type { TmuxPane } from './tmux.ts'

/** Raw mode, so that the program echoes and not the terminal. */
export const echoCommand = 'stty raw -echo; printf ready; cat'
const key = 'x'

export async function measureEcho(hub: BenchHub, session: string, keys: number): Promise<readonly number[]> {
  using viewer = openClient(hub)
  using writer = openClient(hub)
  const latencies: number[] = []
  let { next_offset: since } = await viewer.call<Output>('read_output', { session, since: -1, timeout_ms: 0 })
  for (let count = 0; count < keys; count++) {
    const seen = viewer.call<Output>('read_output', { session, since })
    const typedAt = performance.now()
    const typed = writer.call('send_text', { session, text: key })
    since = (await seen).next_offset
    latencies.push(performance.now() - typedAt)
    await typed
  }
  return latencies
}

export async function measureTmuxEcho(pane: TmuxPane, keys: number): Promise<readonly number[]> {
  const latencies: number[] = []
  let notify = () => {}
  pane.onOutput(() => notify())
  for (let count = 0; count < keys; count++) {
    const seen = new Promise<void>((resolve) => (notify = resolve))
    const typedAt = performance.now()
    pane.type(Buffer.from(key))
    await seen
    latencies.push(performance.now() - typedAt)
  }
  return latencies
}
