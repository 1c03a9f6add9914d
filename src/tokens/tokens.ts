/** Tokens: who may come in, and as whom. Shown once, kept as a hash, revocable, may expire. */
import { timingSafeEqual } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { Principal, Role } from '../base/principal.ts'
import type { Store } from '../store/store.ts'
import type { TokenPlace, TokenRow } from './token-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTokenText, hashSecret, isSecretOf, parseTokenText } from './token-text.ts'

export type { TokenPlace, TokenRow } from './token-store.ts'
export { createTokenProvider } from './token-tools.ts'
export { ensureTokenFile } from './token-file.ts'

export interface Tokens {
  issue(spec: TokenSpec): Promise<TokenRow & { readonly text: string }>
  /** In the order they were made, from behind `after` on. */
  list(after: TokenPlace | undefined, limit: number): Promise<readonly TokenRow[]>
  revoke(id: string): Promise<{ readonly id: string; readonly revokedAt: string }>
  authenticate(text: string): Promise<Principal | undefined>
  principalOf(id: string): Promise<Principal | undefined>
  /** Ends what has expired, or was revoked by another hub. */
  endExpired(): Promise<void>
  saveLastUsed(): Promise<void>
}

export interface TokenSpec {
  readonly role: Role
  readonly session?: string | undefined
  readonly label?: string | undefined
  readonly expiresInMs?: number | undefined
  readonly toolsets?: readonly string[] | undefined
}

export interface TokensOptions {
  readonly store: Store
  /** Called once for each token that stopped being good, so that what it had open is closed. */
  readonly onEnded: (tokenId: string) => void
  readonly onChange?: () => void
  /** From name or id; throws where there is no such session. */
  readonly sessionId?: (nameOrId: string) => Promise<string>
  readonly now?: () => Date
}

/** With several hubs over one database a revocation elsewhere must be seen soon. */
const sharedCacheMs = 500

export function createTokens(options: TokensOptions): Tokens {
  const { store, onEnded, onChange, sessionId = async (id) => id, now = () => new Date() } = options
  const rows = createTokenStore(store)
  const cacheMs = store.engine === 'postgres' ? sharedCacheMs : Number.POSITIVE_INFINITY
  const cache = new Map<string, CachedToken>()
  /** A look-up that began before the end may still put an old row into the cache. */
  const ended = new Set<string>()
  /** When each was last used, in milliseconds. */
  const used = new Map<string, number>()

  async function find(id: string): Promise<CachedToken | undefined> {
    const cached = cache.get(id)
    if (cached && now().getTime() - cached.at < cacheMs) return cached
    const row = await rows.find(id)
    if (!row) return undefined
    const found = { row, at: now().getTime(), proven: undefined }
    cache.set(id, found)
    return found
  }

  const isGood = (row: TokenRow) =>
    row.revokedAt === undefined &&
    !ended.has(row.id) &&
    (row.expiresAt === undefined || Date.parse(row.expiresAt) > now().getTime())

  function end(id: string): void {
    ended.add(id)
    cache.delete(id)
    onEnded(id)
  }

  return {
    async issue({ role, session, label, expiresInMs, toolsets }) {
      if (role === 'agent' && session === undefined) {
        throw new HubError('invalid', 'An agent\'s token names its session: add "session".')
      }
      if (role === 'human' && session !== undefined) {
        throw new HubError('invalid', 'A human\'s token has no session: leave "session" out, or make it an agent\'s.')
      }
      const { id, secret, text } = createTokenText(role)
      const createdAt = now().toISOString()
      const expiresAt = expiresInMs === undefined ? undefined : new Date(now().getTime() + expiresInMs).toISOString()
      const row: TokenRow = {
        id,
        role,
        session: session === undefined ? undefined : await sessionId(session),
        label,
        toolsets,
        hash: hashSecret(secret),
        createdAt,
        expiresAt,
        revokedAt: undefined,
        lastUsedAt: undefined,
      }
      await rows.insert(row)
      onChange?.()
      return { ...row, text }
    },
    async list(after, limit) {
      return (await rows.page(after, limit)).map((row) => ({
        ...row,
        lastUsedAt: toTime(used.get(row.id)) ?? row.lastUsedAt,
      }))
    },
    async revoke(id) {
      const row = await rows.find(id)
      if (!row) throw new HubError('not-found', `No token with the id "${id}". Call list_tokens for the ids.`)
      if (row.revokedAt !== undefined) return { id, revokedAt: row.revokedAt }
      const revokedAt = now().toISOString()
      await rows.revoke(id, revokedAt)
      end(id)
      onChange?.()
      return { id, revokedAt }
    },
    async authenticate(text) {
      const parts = parseTokenText(text)
      const found = parts && (await find(parts.id))
      if (!found || !proves(parts.secret, found)) return undefined
      const { row } = found
      if (row.role !== parts.role || !isGood(row)) return undefined
      used.set(row.id, now().getTime())
      return toPrincipal(row)
    },
    async principalOf(id) {
      const found = await find(id)
      return found && isGood(found.row) ? toPrincipal(found.row) : undefined
    },
    async endExpired() {
      for (const [id, { row }] of cache) {
        const current = cacheMs === Number.POSITIVE_INFINITY ? row : await rows.find(id)
        if (!current || !isGood(current)) end(id)
      }
    },
    async saveLastUsed() {
      const latest = new Map([...used].map(([id, at]) => [id, new Date(at).toISOString()]))
      used.clear()
      if (latest.size > 0) await rows.setLastUsed(latest)
    },
  }
}

interface CachedToken {
  readonly row: TokenRow
  readonly at: number
  /** The secret that matched the hash before: hashing it anew would be a tenth of what a request costs. */
  proven: Buffer | undefined
}

function proves(secret: string, token: CachedToken): boolean {
  const given = Buffer.from(secret)
  if (token.proven) return given.length === token.proven.length && timingSafeEqual(given, token.proven)
  if (!isSecretOf(secret, token.row.hash)) return false
  token.proven = given
  return true
}

function toTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

function toPrincipal({ id, role, session, label, toolsets }: TokenRow): Principal {
  return {
    tokenId: id,
    role,
    ...(session !== undefined && { session }),
    ...(label !== undefined && { label }),
    ...(toolsets && { toolsets }),
  }
}
