/** Listeners for changes of a session. */
export interface SessionListeners {
  /** Returns a function that removes the listener. */
  add(session: string, listener: () => void): () => void
  notify(session: string): void
}

export function createSessionListeners(): SessionListeners {
  const listeners = new Map<string, Set<() => void>>()
  return {
    add(session, listener) {
      const ofSession = listeners.get(session) ?? new Set()
      listeners.set(session, ofSession.add(listener))
      return () => {
        ofSession.delete(listener)
        if (ofSession.size === 0) listeners.delete(session)
      }
    },
    notify(session) {
      for (const listener of listeners.get(session) ?? []) listener()
    },
  }
}
