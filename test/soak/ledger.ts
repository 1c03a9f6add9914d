/** What clients were told, to be compared with what a hub knows after it was killed. */

export interface Ledger {
  /** An answer came: the token exists. */
  issued(token: KnownToken): void
  /** A question was sent whose answer may never come. */
  revoking(id: string): void
  revoked(id: string): void
  /** An event was shown to a client. */
  sawEvent(event: KnownEvent): void
  /** A token to revoke, of those that live. */
  anyLiving(): KnownToken | undefined
  readonly tokens: ReadonlyMap<string, Fate>
  readonly events: ReadonlyMap<number, string>
}

export interface KnownToken {
  readonly id: string
  readonly token: string
}

export interface KnownEvent {
  readonly seq: number
  readonly id: string
}

/** `in doubt`: the hub died between the question and the answer, so both outcomes are right. */
export interface Fate {
  readonly token: string
  is: 'living' | 'in doubt' | 'revoked'
}

export function createLedger(): Ledger {
  const tokens = new Map<string, Fate>()
  const events = new Map<number, string>()

  function mark(id: string, is: Fate['is']): void {
    const fate = tokens.get(id)
    if (fate) fate.is = is
  }

  return {
    tokens,
    events,
    issued: ({ id, token }) => void tokens.set(id, { token, is: 'living' }),
    revoking: (id) => mark(id, 'in doubt'),
    revoked: (id) => mark(id, 'revoked'),
    sawEvent: ({ seq, id }) => void events.set(seq, id),
    anyLiving() {
      const living = [...tokens].filter(([, { is }]) => is === 'living')
      const chosen = living[Math.floor(Math.random() * living.length)]
      return chosen && { id: chosen[0], token: chosen[1].token }
    },
  }
}
