/** Reads the versions of each policy document and saves new ones. */
import type { PolicyScope, TemplatePolicy } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import { unifiedDiff } from '../base/unified-diff.ts'
import type { EventLog } from '../events/events.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Policy, PolicyPlace } from '../policy/policy.ts'
import { compilePolicy } from '../policy/policy.ts'
import type { CurrentDocument, CurrentPolicies, KnownSession } from './current-policies.ts'
import { readStated } from './current-policies.ts'
import type { PolicyKey, PolicyStore, SavedPolicy } from './policy-store.ts'

export const policiesUri = 'resource://policies'

export interface PolicyDocuments {
  /** Throws if the template or session does not exist, or the target is missing. */
  keyOf(owner: PolicyOwner): Promise<PolicyKey>
  get(key: PolicyKey, version?: number): Promise<ReadPolicy>
  /** The newest version of every document that was ever saved. */
  list(): Promise<readonly SavedPolicy[]>
  /** Those that apply now: of the hub, of templates and of living sessions. */
  inForce(): Promise<readonly PolicyInForce[]>
  versions: PolicyStore['versions']
  /** Compiles first: an invalid document is refused and the old one stays. */
  save(change: PolicyChange): Promise<SavedChange>
  /** Builds the next version and its diff from the document in force. Saves nothing. */
  draft(key: PolicyKey, write: (source: string) => string | Promise<string>, by: string): Promise<SavedChange>
  /** Notifies clients and features of a version that was saved by other means. */
  announce(saved: SavedPolicy): Promise<void>
}

export interface PolicyOwner {
  readonly scope: PolicyScope
  readonly target?: string | undefined
}

/** `fault`: the file of the template cannot be used. */
export interface PolicyInForce extends PolicyOwner {
  readonly version: number
  readonly origin: PolicyOrigin
  readonly saved?: SavedPolicy | undefined
  readonly fault?: string
}

export const policyOrigins = ['saved', 'shipped', 'template-file', 'none'] as const
export type PolicyOrigin = (typeof policyOrigins)[number]

export interface ReadPolicy {
  readonly source: string
  readonly version: number
  readonly origin: PolicyOrigin
  readonly reading: Reading
  readonly saved?: SavedPolicy | undefined
}

/** A saved document may have become invalid since. People must still be able to read it to repair it. */
export type Reading =
  | { readonly is: 'compiled'; readonly policy: Policy }
  | { readonly is: 'broken'; readonly fault: string }

export interface PolicyChange {
  readonly key: PolicyKey
  /** Empty to remove the document: the hub then uses the shipped one, and a template uses its file. */
  readonly source: string
  readonly by: string
  /** The version that the change is based on. The save is refused if a newer one exists. */
  readonly ifVersion?: number | undefined
}

export interface SavedChange {
  readonly saved: SavedPolicy
  readonly diff: string
}

export interface PolicyDocumentsOptions {
  readonly rows: PolicyStore
  readonly current: CurrentPolicies
  readonly events: Pick<EventLog, 'append'>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly templatePolicy: (name: string) => TemplatePolicy
  readonly templateNames: () => readonly string[]
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
  readonly signals: SignalSender
  readonly now: () => Date
}

export function createPolicyDocuments(options: PolicyDocumentsOptions): PolicyDocuments {
  const { rows, current, events, notices, templatePolicy, templateNames, findSession, now, signals } = options

  const versionOf = async (key: PolicyKey) => (await rows.newest([key]))[0]?.version ?? 0

  async function draft(
    key: PolicyKey,
    write: (source: string) => string | Promise<string>,
    by: string,
  ): Promise<SavedChange> {
    const version = (await versionOf(key)) + 1
    const before = (await current.documentOf(key))?.source ?? ''
    const written = await write(before)
    const source = written.trim() === '' ? '' : written
    if (source !== '') await compilePolicy(source, { scope: key.scope, version })
    const diff = unifiedDiff(before, source, { before: `${labelOf(key)}, now`, after: `${labelOf(key)}@${version}` })
    return { saved: { ...key, version, source, savedAt: now().toISOString(), savedBy: by }, diff }
  }

  async function announce({ scope, target, version, savedBy }: SavedPolicy): Promise<void> {
    current.lookAgain()
    notices.resourceChanged(policiesUri)
    signals.emit('policy-saved', {})
    await events.append({
      type: 'policy-saved',
      ...(scope === 'session' && { session: target }),
      payload: { scope, ...(target !== '' && { target }), version, by: savedBy },
    })
  }

  async function lostUpdate(key: PolicyKey, ifVersion: number, version: number): Promise<HubError> {
    const [before, after] = [await rows.find(key, ifVersion), await rows.find(key, version)]
    const names = { before: `${labelOf(key)}@${ifVersion}`, after: `${labelOf(key)}@${version}` }
    const diff = after ? unifiedDiff(before?.source ?? '', after.source, names) : ''
    const who = after ? `, saved by ${after.savedBy} at ${after.savedAt}` : ''
    return new HubError(
      'conflict',
      `"if_version" is ${ifVersion}, but the policy is at version ${version}${who}. ` +
        `Read it with get_policy, put your change into it, and save that.\n${diff.slice(0, maxShownDiff)}`,
      { data: { version } },
    )
  }

  async function inForceOf(owner: PolicyOwner, key: PolicyKey): Promise<PolicyInForce | undefined> {
    try {
      const document = await current.documentOf(key)
      if (!document) return undefined
      return { ...owner, version: document.place.version, origin: originOf(key, document), saved: document.saved }
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      return { ...owner, version: await versionOf(key), origin: 'template-file', fault: error.message }
    }
  }

  async function sessionsWithPolicy(): Promise<readonly PolicyInForce[]> {
    const saved = (await rows.newestOfAll()).filter(({ scope, source }) => scope === 'session' && source !== '')
    const names = await rows.livingNames(saved.map(({ target }) => target))
    return saved.flatMap((document) => {
      const target = names.get(document.target)
      const { version } = document
      return target === undefined
        ? []
        : [{ scope: 'session' as const, target, version, origin: 'saved' as const, saved: document }]
    })
  }

  return {
    async keyOf({ scope, target = '' }) {
      switch (scope) {
        case 'hub':
          if (target !== '') throw new HubError('invalid', '"target": the hub has one policy; leave "target" out.')
          return { scope, target }
        case 'template':
          if (target === '') throw new HubError('invalid', '"target": name the template, as in list_templates.')
          readStated(templatePolicy(target))
          return { scope, target }
        case 'session':
          if (target === '') throw new HubError('invalid', '"target": name the session, as in list_sessions.')
          return { scope, target: (await findSession(target)).id }
      }
    },
    async get(key, version) {
      if (version !== undefined && version > 0) {
        const saved = await rows.find(key, version)
        if (!saved) throw new HubError('not-found', `${labelOf(key)} has no version ${version}.`)
        const reading = await readingOf(saved.source, { ...key, version })
        return { source: saved.source, version, origin: 'saved', reading, saved }
      }
      const document = await current.documentOf(key)
      const source = document?.source ?? ''
      const place = document?.place ?? { ...key, version: await versionOf(key) }
      const reading = await readingOf(source, place)
      return { source, version: place.version, origin: originOf(key, document), reading, saved: document?.saved }
    },
    list: () => rows.newestOfAll(),
    async inForce() {
      const hub = await inForceOf({ scope: 'hub' }, { scope: 'hub', target: '' })
      const templates = await Promise.all(
        templateNames().map((name) =>
          inForceOf({ scope: 'template', target: name }, { scope: 'template', target: name }),
        ),
      )
      return [hub, ...templates, ...(await sessionsWithPolicy())].filter((each) => each !== undefined)
    },
    versions: (key, page) => rows.versions(key, page),
    draft,
    announce,
    async save({ key, source, by, ifVersion }) {
      for (;;) {
        const change = await draft(key, () => source, by)
        const before = change.saved.version - 1
        if (ifVersion !== undefined && ifVersion !== before) throw await lostUpdate(key, ifVersion, before)
        // If another save took this version, try again on top of it.
        if (!(await rows.insert(change.saved))) continue
        await announce(change.saved)
        return change
      }
    },
  }
}

const maxShownDiff = 4_000

async function readingOf(source: string, place: PolicyPlace): Promise<Reading> {
  try {
    return { is: 'compiled', policy: await compilePolicy(source, place) }
  } catch (error) {
    if (error instanceof HubError) return { is: 'broken', fault: error.message }
    throw error
  }
}

/** Such as `template:codex`. */
function labelOf({ scope, target }: PolicyKey): string {
  return target === '' ? scope : `${scope}:${target}`
}

function originOf({ scope }: PolicyKey, document: CurrentDocument | undefined): PolicyOrigin {
  if (!document) return 'none'
  if (document.saved) return 'saved'
  return scope === 'hub' ? 'shipped' : 'template-file'
}
