/** The tools that the hub itself offers to an agent. Their calls pass the gate elsewhere, so drivers do not ask about them. */
export interface OfferedTools {
  namesOf(session: string): Promise<readonly string[]>
  /** The lists are made after the gate. Until then no agent is offered a tool. */
  from(lists: (session: string) => Promise<readonly string[]>): void
}

export function createOfferedTools(): OfferedTools {
  let namesIn: (session: string) => Promise<readonly string[]> = async () => []
  return {
    namesOf: (session) => namesIn(session),
    from: (lists) => void (namesIn = lists),
  }
}
