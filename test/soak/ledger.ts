/** What clients were told, to be compared with what a hub knows after it was killed. */

export interface Ledger {
  /** A name that no other token has, by which the event of its making is known. */
  nextLabel(): string
  /** An answer came: the token exists. */
  issued(token: KnownToken): void
  /** A question was sent whose answer may never come. */
  revoking(id: string): void
  revoked(id: string): void
  /** A connection was opened, and subscribed to something. */
  connected(id: string): void
  /** An event was shown to a client. */
  sawEvent(event: KnownEvent): void
  /** The id of a token to revoke, of those that live. */
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

/** `in doubt`: the hub died between the question and the answer, so both outcomes are right. */
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
