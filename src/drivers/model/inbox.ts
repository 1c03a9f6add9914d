/** The agent's inbox besides prompts: chat messages, and changes of resources that it follows. */
export interface Inbox {
  readonly messages: readonly InboxMessage[]
  /** The messages are in the thread now, so they need not be handed over again. */
  taken(): Promise<void>
}

export interface InboxMessage {
  /** Stays the same if the message is handed over again. */
  readonly id: string
  readonly text: string
}

export const emptyInbox: Inbox = { messages: [], async taken() {} }

/** Finds out which followed resources have changed since it was asked last. */
export function createChangeReader(): (followed: ReadonlyMap<string, string>) => string | undefined {
  const seen = new Map<string, string>()
  return (followed) => {
    const changed = [...followed].filter(([resource, at]) => seen.get(resource) !== at)
    for (const [resource, at] of changed) seen.set(resource, at)
    if (changed.length === 0) return undefined
    const list = changed.map(([resource]) => `- ${resource}`).join('\n')
    return `Resources that you follow have changed. Read them with resources_read if you need them:\n${list}`
  }
}
