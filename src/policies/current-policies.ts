/**
 * The documents that apply now, compiled, and pooled for each session that makes calls.
 *
 * The next call sees a policy that this hub saves. It sees a save by another hub on the same database, and a changed
 * template file, within a second: a pool is used for that long without checking whether its documents are still the
 * newest.
 *
 * The policy of a template's file is stored with each session of the template. The stored one applies while the file is
 * missing or cannot be read. A file that can be read but is invalid fails every call, because it may be stricter than
 * the stored policy.
 */
import { createHash } from 'node:crypto'
import type { StatedPolicy, TemplatePolicy } from '../api/policy.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Policy, PolicyPlace, PolicyPool } from '../policy/policy.ts'
import { compilePolicy, PolicyFailure, poolPolicies } from '../policy/policy.ts'
import type { PolicyKey, PolicyStore, SavedPolicy } from './policy-store.ts'

export interface KnownSession {
  readonly id: string
  readonly name: string
  readonly template: string
  readonly hubId: string
}

/** A document in force: the saved one, or the file that applies if none is saved. */
export interface CurrentDocument {
  readonly place: PolicyPlace
  readonly source: string
  /** `undefined`: the document comes from a file. */
  readonly saved?: SavedPolicy
}

export interface CurrentPolicies {
  /** Uses the cached pool if it is fresh. */
  poolOf(session: PolicySession): Promise<PolicyPool>
  /** For a template without a saved policy, reads its file. `undefined`: there is no document. */
  documentOf(key: PolicyKey): Promise<CurrentDocument | undefined>
  /** Call it after a save: the next call reads the documents again. */
  lookAgain(): void
  /** Stores the policy of the template that a session is started from. Throws if the policy is invalid. */
  storeTemplatePolicy(sessionId: string, template: string, policy: StatedPolicy): Promise<void>
  /** Stores the current policies of the template files with every living session of this hub. */
  keepAll(): Promise<void>
  forget(sessionId: string): void
}

export interface PolicySession {
  readonly id: string
  /** Empty if unknown, for a session that was removed. */
  readonly template: string
  /** The hub that runs the session and holds its template files. `undefined`: the session was removed. */
  readonly hubId: string | undefined
}

export interface CurrentPoliciesOptions {
  readonly rows: Pick<PolicyStore, 'newest' | 'templatePolicyOf' | 'keepTemplatePolicy' | 'sessionsOf'>
  readonly hubId: string
  /** The hub's document until a person saves another. */
  readonly shippedSource: string
  /** Reads the policy in the template's file. */
  readonly templatePolicy: (name: string) => TemplatePolicy
  readonly now: () => number
}

const freshMs = 1_000
/** Ended sessions are forgotten one by one. This limit covers sessions whose end was not reported to this hub. */
const maxPools = 2_000

export function createCurrentPolicies(options: CurrentPoliciesOptions): CurrentPolicies {
  const { rows, hubId, shippedSource, templatePolicy, now } = options
  const pools = new Map<string, { readonly pool: PolicyPool; readonly loadedAt: number; readonly saves: number }>()
  const loading = new Map<string, { readonly pool: Promise<PolicyPool>; readonly saves: number }>()
  const compiled = new Map<string, CompiledDocument>()
  let saves = 0

  async function load(session: PolicySession): Promise<PolicyPool> {
    const [since, loadedAt] = [saves, now()]
    const keys: PolicyKey[] = [
      { scope: 'hub', target: '' },
      ...(session.template === '' ? [] : [{ scope: 'template' as const, target: session.template }]),
      { scope: 'session', target: session.id },
    ]
    const saved = await rows.newest(keys)
    const policies = await Promise.all(
      keys.map((key) => {
        const newest = saved.find((one) => isOf(one, key))
        return key.scope === 'template' ? templatePolicyFor(session, newest) : policyOf(documentIn(key, newest))
      }),
    )
    const fresh = poolPolicies(policies.filter((policy) => policy !== undefined))
    const known = pools.get(session.id)?.pool
    // Prefer the old pool: it has cached which rules name which tool.
    const pool = known?.version === fresh.version ? known : fresh
    if (pools.size >= maxPools) pools.clear()
    pools.set(session.id, { pool, loadedAt, saves: since })
    return pool
  }

  /** Calls that arrive together share one read. */
  function loadOnce(session: PolicySession): Promise<PolicyPool> {
    const running = loading.get(session.id)
    if (running?.saves === saves) return running.pool
    const pool = load(session).finally(() => {
      if (loading.get(session.id)?.pool === pool) loading.delete(session.id)
    })
    loading.set(session.id, { pool, saves })
    return pool
  }

  /** The template policy that applies to a session. */
  async function templatePolicyFor(
    session: PolicySession,
    saved: SavedPolicy | undefined,
  ): Promise<Policy | undefined> {
    const key = { scope: 'template', target: session.template } as const
    if (saved && saved.source !== '') return policyOf(documentIn(key, saved))
    return settle(session, await rows.templatePolicyOf(session.id), saved)
  }

  /** Compiles the policy that applies, and stores it with the session if the stored one differs. */
  async function settle(
    session: PolicySession,
    kept: StatedPolicy | undefined,
    saved?: SavedPolicy,
  ): Promise<Policy | undefined> {
    const { id, template } = session
    const applies = whatApplies(session, kept)
    const policy = await policyOf(documentIn({ scope: 'template', target: template }, saved, applies.source))
    const isKept = kept?.origin === applies.origin && kept.source === applies.source
    if (!isKept && session.hubId === hubId) await rows.keepTemplatePolicy(id, applies, isoNow())
    return policy
  }

  function whatApplies({ template, hubId: home }: PolicySession, kept: StatedPolicy | undefined): StatedPolicy {
    const stated = home === undefined || home === hubId ? templatePolicy(template) : onAnotherHub
    if (stated.is === 'invalid') throw new HubError('invalid', stated.why)
    if (stated.is === 'unknown') {
      if (kept) return kept
      throw new HubError('unavailable', `${stated.why} No policy of it is stored with this session either.`)
    }
    // The session was started from a person's own template. A shipped template of the same name must not loosen its
    // policy.
    return kept?.origin === 'own' && stated.origin === 'shipped' ? kept : stated
  }

  const isoNow = () => new Date(now()).toISOString()

  /**
   * `undefined`: there is no document. `stated`: the policy in the template's file, for a template without a saved one.
   */
  function documentIn(
    { scope, target }: PolicyKey,
    saved: SavedPolicy | undefined,
    stated?: string,
  ): CurrentDocument | undefined {
    const place = { scope, ...(target !== '' && { target }), version: saved?.version ?? 0 }
    if (saved && saved.source !== '') return { place, source: saved.source, saved }
    const source = scope === 'hub' ? shippedSource : scope === 'template' ? stated : undefined
    if (source === undefined) return undefined
    return { place: { ...place, digest: digestOf(source) }, source }
  }

  async function policyOf(document: CurrentDocument | undefined): Promise<Policy | undefined> {
    if (!document) return undefined
    const { place, source } = document
    const name = `${place.scope}:${place.target ?? ''}`
    const known = compiled.get(name)
    if (known?.version === place.version && known.digest === place.digest) return known.policy
    const policy = await compilePolicy(source, place)
    compiled.set(name, { version: place.version, digest: place.digest, policy })
    return policy
  }

  return {
    async poolOf(session) {
      const known = pools.get(session.id)
      if (known && known.saves === saves && isFresh(known.loadedAt, now())) return known.pool
      try {
        return await loadOnce(session)
      } catch (error) {
        throw new PolicyFailure(`The policy of this session cannot be used: ${messageOf(error)}`, { cause: error })
      }
    },
    async documentOf(key) {
      const [saved] = await rows.newest([key])
      if (key.scope !== 'template' || (saved && saved.source !== '')) return documentIn(key, saved)
      return documentIn(key, saved, readStated(templatePolicy(key.target)).source)
    },
    lookAgain() {
      saves++
    },
    async storeTemplatePolicy(sessionId, template, policy) {
      try {
        await policyOf(documentIn({ scope: 'template', target: template }, undefined, policy.source))
      } catch (error) {
        if (!(error instanceof HubError)) throw error
        const why = `The policy of the template "${template}" cannot be used: ${error.message}`
        throw new HubError('invalid', why, { cause: error })
      }
      await rows.keepTemplatePolicy(sessionId, policy, isoNow())
    },
    async keepAll() {
      saves++
      for (const { kept, ...session } of await rows.sessionsOf(hubId)) {
        try {
          await settle({ ...session, hubId }, kept)
        } catch (error) {
          // Each call of the session fails with this error, so it is not reported here.
          if (!(error instanceof HubError)) throw error
        }
      }
    },
    forget(sessionId) {
      pools.delete(sessionId)
      compiled.delete(`session:${sessionId}`)
    },
  }
}

/** Throws if the file cannot be used. */
export function readStated(stated: TemplatePolicy): StatedPolicy {
  if (stated.is === 'known') return stated
  throw new HubError(stated.is === 'invalid' ? 'invalid' : 'not-found', stated.why)
}

const onAnotherHub: TemplatePolicy = {
  is: 'unknown',
  why: 'The session runs on another hub, whose template files cannot be read here.',
}

/** A pool must not stay fresh longer because the clock was set back. */
function isFresh(loadedAt: number, now: number): boolean {
  return now >= loadedAt && now - loadedAt < freshMs
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
