/** Tokens: who may connect, and as whom. A token is shown once, stored as a hash, can be revoked, and may expire. */
import { timingSafeEqual } from 'node:crypto'
import { createDeadlines } from '../base/deadlines.ts'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'
import type { Feature, SignalSender } from '../feature/feature.ts'
import type { Store } from '../store/store.ts'
import type { TokenRow } from './token-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTokenProvider } from './token-tools.ts'
import { createTokenText, hashSecret, isSecretOf, parseTokenText } from './token-text.ts'
import type { Tokens } from './token.ts'

export type { Tokens } from './token.ts'
export { createLoginCodes } from './login-codes.ts'
export { ensureTokenFile } from './token-file.ts'

export interface TokensOptions {
  readonly store: Store
  readonly signals: SignalSender
  /** Finds a session by name or id. Throws if there is none. */
  readonly findSession: (nameOrId: string) => Promise<{ readonly id: string }>
  readonly now?: () => Date
  readonly elapsedMs?: () => number
}

/** If several hubs share one database, a hub must soon see a revocation by another. */
const sharedCacheMs = 500

export function createTokens(options: TokensOptions): Tokens {
  const { store, signals, findSession, now = () => new Date() } = options
  const deadlines = createDeadlines({ now, elapsedMs: options.elapsedMs ?? (() => performance.now()) })
  const rows = createTokenStore(store)
  const cacheMs = store.engine === 'postgres' ? sharedCacheMs : Number.POSITIVE_INFINITY
  const cache = new Map<string, CachedToken>()
  /** Needed because a look-up that began before the end may still put an old row into the cache. */
  const ended = new Set<string>()
  /** Revocations that are in effect here but not stored yet, with their times. */
  const unstored = new Map<string, string>()
  /** The last use of each token, in milliseconds. */
  const used = new Map<string, number>()

  /** A clock that was set back does not prolong the cache. */
  const isFresh = (at: number, time: number) =>
    cacheMs === Number.POSITIVE_INFINITY || (time >= at && time - at < cacheMs)

  async function find(id: string): Promise<CachedToken | undefined> {
    const cached = cache.get(id)
    if (cached && isFresh(cached.at, now().getTime())) return cached
    const row = await rows.find(id)
    if (!row) return undefined
    const found = { row, at: now().getTime(), proven: undefined }
    cache.set(id, found)
    return found
  }

  const isGood = (row: TokenRow) =>
    row.revokedAt === undefined &&
    !ended.has(row.id) &&
    (row.expiresAt === undefined || !deadlines.hasPassed(row.id, row.expiresAt))

  function end(id: string): void {
    ended.add(id)
    cache.delete(id)
    deadlines.forget(id)
    signals.emit('token-ended', { token: id })
  }

  async function storeRevocation(id: string, revokedAt: string): Promise<void> {
    await rows.revoke(id, revokedAt)
    unstored.delete(id)
  }

  const tokens: Omit<Tokens, keyof Feature> = {
    async issue({ role, session, label, expiresInMs, toolsets }) {
      if (role === 'agent' && session === undefined) {
        throw new HubError('invalid', 'An agent\'s token needs a session. Add "session".')
      }
      if (role === 'human' && session !== undefined) {
        throw new HubError('invalid', 'A human\'s token has no session. Leave "session" out, or use the role "agent".')
      }
      const { id, secret, text } = createTokenText(role)
      const createdAt = now().toISOString()
      const expiresAt = expiresInMs === undefined ? undefined : new Date(now().getTime() + expiresInMs).toISOString()
      const row: TokenRow = {
        id,
        role,
        session: session === undefined ? undefined : (await findSession(session)).id,
        label,
        toolsets,
        hash: hashSecret(secret),
        createdAt,
        expiresAt,
        revokedAt: undefined,
        lastUsedAt: undefined,
      }
      await rows.insert(row)
      if (expiresAt !== undefined) deadlines.begin(id, expiresAt)
      signals.emit('tokens-changed', {})
      return { ...row, text }
    },
    async list(after, limit) {
      return (await rows.page(after, limit)).map((row) => ({
        ...row,
        revokedAt: row.revokedAt ?? unstored.get(row.id),
        lastUsedAt: toTime(used.get(row.id)) ?? row.lastUsedAt,
      }))
    },
    async revoke(id) {
      const row = await rows.find(id)
      if (!row) throw new HubError('not-found', `No token with the id "${id}". Call list_tokens for the ids.`)
      if (row.revokedAt !== undefined) return { id, revokedAt: row.revokedAt }
      const revokedAt = unstored.get(id) ?? now().toISOString()
      // The token ends before it is stored: on a full disk a stolen token must end too.
      if (!unstored.has(id)) end(id)
      unstored.set(id, revokedAt)
      signals.emit('tokens-changed', {})
      await storeRevocation(id, revokedAt).catch((error: unknown) => {
        throw notStored(id, error)
      })
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
      // A failure is retried the next time. The caller of `revoke` already got the error.
      for (const [id, revokedAt] of unstored) await storeRevocation(id, revokedAt).catch(() => {})
      for (const [id, { row }] of cache) {
        const current = cacheMs === Number.POSITIVE_INFINITY ? row : await rows.find(id)
        if (!current || !isGood(current)) end(id)
      }
    },
    prunable: {
      what: 'tokens',
      async list(before) {
        const revoked = await rows.listRevoked(before.toISOString())
        return revoked.map(({ id, label, revokedAt = '' }) => ({
          id,
          name: label,
          since: revokedAt,
          async remove() {
            const isGone = await rows.removeRevoked(id)
            if (isGone) signals.emit('tokens-changed', {})
            return isGone ? undefined : 'It is gone already.'
          },
        }))
      },
    },
    async saveLastUsed() {
      const latest = new Map([...used].map(([id, at]) => [id, new Date(at).toISOString()]))
      used.clear()
      if (latest.size > 0) await rows.setLastUsed(latest)
    },
  }
  return {
    ...tokens,
    providers: [createTokenProvider(tokens)],
    sweeps: [
      { everyMs: 500, run: () => tokens.endExpired() },
      { everyMs: 60_000, run: () => tokens.saveLastUsed() },
    ],
  }
}

interface CachedToken {
  readonly row: TokenRow
  readonly at: number
  /** The secret that matched the hash before. Hashing it again would take a tenth of the time of a request. */
  proven: Buffer | undefined
}

function proves(secret: string, token: CachedToken): boolean {
  const given = Buffer.from(secret)
  if (token.proven) return given.length === token.proven.length && timingSafeEqual(given, token.proven)
  if (!isSecretOf(secret, token.row.hash)) return false
  token.proven = given
  return true
}

function notStored(id: string, cause: unknown): HubError {
  return new HubError(
    'unavailable',
    `The token ${id} is revoked from now on, but the revocation could not be stored. The disk may be full. The hub tries again until it is stored. ` +
      'Do not stop the hub before that, because the next hub would accept the token. Revoke it again to see whether it is stored.',
    { cause },
  )
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
