/** The chat as people see it. */
export function sessionChatUri(session: string): string {
  return `resource://sessions/${session}/chat`
}

/** The chat of its own session, as an agent sees it. */
export const ownChatUri = 'resource://chat'
