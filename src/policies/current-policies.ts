/**
 * The documents that hold now, compiled, and pooled for each session that makes calls.
 *
 * What this hub saves is seen by the next call. A save by another hub over the same database, and a changed template
 * file, are seen within a second: for so long a pool is used without looking whether its documents are still the newest.
 */
import { createHash } from 'node:crypto'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Policy, PolicyPlace, PolicyPool } from '../policy/policy.ts'
import { compilePolicy, PolicyFailure, poolPolicies } from '../policy/policy.ts'
import type { PolicyKey, PolicyStore, SavedPolicy } from './policy-store.ts'

/** One that is in force: the saved one, or the file that stands in for it where none is. */
export interface CurrentDocument {
  readonly place: PolicyPlace
  readonly source: string
  /** `undefined`: it comes from a file. */
  readonly saved?: SavedPolicy
}

export interface CurrentPolicies {
  /** From memory where that is fresh enough. */
  poolOf(session: PolicySession): Promise<PolicyPool>
  /** `undefined`: nobody has written one. */
  documentOf(key: PolicyKey): Promise<CurrentDocument | undefined>
  /** Something was saved: look before the next call is decided. */
  lookAgain(): void
  forget(sessionId: string): void
}

export interface PolicySession {
  readonly id: string
  readonly template: string
}

export interface CurrentPoliciesOptions {
  readonly rows: Pick<PolicyStore, 'newest'>
  /** The hub's document as long as nobody has saved another. */
  readonly shippedSource: string
  /** What the template's file says; throws where there is no such template. */
  readonly templatePolicy: (name: string) => string | undefined
  readonly now: () => number
}

const freshMs = 1_000
/** Ended sessions are forgotten one by one; this is for those whose end nobody told. */
const maxPools = 2_000

export function createCurrentPolicies(options: CurrentPoliciesOptions): CurrentPolicies {
  const { rows, shippedSource, templatePolicy, now } = options
  const pools = new Map<string, { readonly pool: PolicyPool; readonly until: number; readonly saves: number }>()
  const loading = new Map<string, { readonly pool: Promise<PolicyPool>; readonly saves: number }>()
  const compiled = new Map<string, CompiledDocument>()
  let saves = 0

  async function load(session: PolicySession): Promise<PolicyPool> {
    const since = saves
    const keys: PolicyKey[] = [
      { scope: 'hub', target: '' },
      { scope: 'template', target: session.template },
      { scope: 'session', target: session.id },
    ]
    const saved = await rows.newest(keys)
    const policies = await Promise.all(
      keys.map((key) =>
        policyOf(
          key,
          saved.find((one) => isOf(one, key)),
        ),
      ),
    )
    const fresh = poolPolicies(policies.filter((policy) => policy !== undefined))
    const known = pools.get(session.id)?.pool
    // The one before remembers which rules name which tool.
    const pool = known?.version === fresh.version ? known : fresh
    if (pools.size >= maxPools) pools.clear()
    pools.set(session.id, { pool, until: now() + freshMs, saves: since })
    return pool
  }

  /** Calls that come at once look once. */
  function loadOnce(session: PolicySession): Promise<PolicyPool> {
    const running = loading.get(session.id)
    if (running?.saves === saves) return running.pool
    const pool = load(session).finally(() => {
      if (loading.get(session.id)?.pool === pool) loading.delete(session.id)
    })
    loading.set(session.id, { pool, saves })
    return pool
  }

  function currentDocument({ scope, target }: PolicyKey, saved: SavedPolicy | undefined): CurrentDocument | undefined {
    const place = { scope, ...(target !== '' && { target }), version: saved?.version ?? 0 }
    if (saved && saved.source !== '') return { place, source: saved.source, saved }
    const source = scope === 'hub' ? shippedSource : scope === 'template' ? fileOf(target) : undefined
    if (source === undefined) return undefined
    return { place: { ...place, digest: digestOf(source) }, source }
  }

  function fileOf(template: string): string | undefined {
    try {
      return templatePolicy(template)
    } catch (error) {
      if (error instanceof HubError && error.code === 'not-found') return undefined
      throw error
    }
  }

  async function policyOf(key: PolicyKey, saved: SavedPolicy | undefined): Promise<Policy | undefined> {
    const document = currentDocument(key, saved)
    if (!document) return undefined
    const { place, source } = document
    const name = `${key.scope}:${key.target}`
    const known = compiled.get(name)
    if (known?.version === place.version && known.digest === place.digest) return known.policy
    const policy = await compilePolicy(source, place)
    compiled.set(name, { version: place.version, digest: place.digest, policy })
    return policy
  }

  return {
    async poolOf(session) {
      const known = pools.get(session.id)
      if (known && known.saves === saves && now() < known.until) return known.pool
      try {
        return await loadOnce(session)
      } catch (error) {
        throw new PolicyFailure(`The policy of this session cannot be used: ${messageOf(error)}`, { cause: error })
      }
    },
    async documentOf(key) {
      const [saved] = await rows.newest([key])
      return currentDocument(key, saved)
    },
    lookAgain() {
      saves++
    },
    forget(sessionId) {
      pools.delete(sessionId)
      compiled.delete(`session:${sessionId}`)
    },
  }
}

interface CompiledDocument {
  readonly version: number
  readonly digest: string | undefined
  readonly policy: Policy
}

function isOf(saved: SavedPolicy, { scope, target }: PolicyKey): boolean {
  return saved.scope === scope && saved.target === target
}

function digestOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 8)
}
