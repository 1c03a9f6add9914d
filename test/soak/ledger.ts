/** The answers that clients received, to compare with the data of a hub after it was killed. */

export interface Ledger {
  /** A unique label for a token, which identifies the event of its creation. */
  nextLabel(): string
  /** The answer arrived, so the token exists. */
  issued(token: KnownToken): void
  /** The request was sent. Its answer may never arrive. */
  revoking(id: string): void
  revoked(id: string): void
  /** A connection was opened and has a subscription. */
  connected(id: string): void
  /** An event was shown to a client. */
  sawEvent(event: KnownEvent): void
  /** The id of a valid token to revoke. */
  anyLiving(): string | undefined
  readonly tokens: ReadonlyMap<string, Fate>
  readonly events: ReadonlyMap<number, string>
  /** Oldest first. */
  readonly connections: readonly string[]
}

export interface KnownToken {
  readonly id: string
  readonly label: string
  readonly token: string
}

export interface KnownEvent {
  readonly seq: number
  readonly id: string
}

/** `in doubt`: the hub died between request and answer, so both outcomes are right. */
export interface Fate {
  readonly label: string
  readonly token: string
  is: 'living' | 'in doubt' | 'revoked'
}

export function createLedger(): Ledger {
  const tokens = new Map<string, Fate>()
  const events = new Map<number, string>()
  const connections: string[] = []
  let labels = 0

  function mark(id: string, is: Fate['is']): void {
    const fate = tokens.get(id)
    if (fate) fate.is = is
  }

  return {
    tokens,
    events,
    connections,
    connected: (id) => void connections.push(id),
    nextLabel: () => `soak-${++labels}`,
    issued: ({ id, label, token }) => void tokens.set(id, { label, token, is: 'living' }),
    revoking: (id) => mark(id, 'in doubt'),
    revoked: (id) => mark(id, 'revoked'),
    sawEvent: ({ seq, id }) => void events.set(seq, id),
    anyLiving() {
      const living = [...tokens].filter(([, { is }]) => is === 'living')
      return living[Math.floor(Math.random() * living.length)]?.[0]
    },
  }
}
