/** Which agents have listed their tools. The first prompt of a session waits for that. */
import { waitUntil } from '../base/wait-until.ts'

export interface ConnectedAgents {
  note(session: string): void
  /** Resolves when the agent has connected, or after a timeout. */
  until(session: string, signal: AbortSignal): Promise<void>
  forget(session: string): void
}

/** An agent with many servers to connect to may take this long to reach ours. */
const connectMs = 10_000

export function createConnectedAgents(): ConnectedAgents {
  const connected = new Set<string>()
  const listeners = new Set<() => void>()
  function onChange(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    note(session) {
      if (connected.has(session)) return
      connected.add(session)
      for (const listener of listeners) listener()
    },
    async until(session, signal) {
      const look = () => connected.has(session) || undefined
      await waitUntil({ sources: [onChange], look, timeoutMs: connectMs, signal })
    },
    forget: (session) => void connected.delete(session),
  }
}
