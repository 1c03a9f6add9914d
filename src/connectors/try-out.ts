/**
 * Tries out a connector: reports whether it answers, what agents get of it, how long that takes, and which variables are
 * missing. The lists of a saved connector are cached for agents that list before their upstream is up.
 */
import type { Connector } from '../api/connector.ts'
import type { Confined } from '../api/sandbox.ts'
import { createToolTest } from '../api/tool-filter.ts'
import { HubError } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import { checkConnector } from './check-connector.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { KnownLists } from './known-lists.ts'
import { howToSet, type Resolver, type SessionPlace } from './resolve.ts'
import { toolFilterOf } from './tool-filter.ts'

/** The upstream's description of itself. */
export interface TestReport {
  readonly era: 'legacy' | 'modern'
  /** The negotiated revision. */
  readonly version: string
  /** The name and version that the server reports. */
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly string[]
  readonly resources: readonly string[]
  readonly prompts: readonly string[]
}

export type Trial =
  | {
      readonly report: TestReport
      /** The lists that are the same in every session. */
      readonly lists?: KnownLists
      /** With its resources, which may belong to the place where it ran. */
      readonly ownLists?: KnownLists
    }
  | {
      readonly error: string
      /** The end of its stderr, or empty if there is none. */
      readonly stderr: string
    }

export interface Outcome extends Partial<TestReport> {
  readonly ok: boolean
  readonly ms: number
  readonly error?: string
  readonly stderr?: string
  /** The working directory of its program. */
  readonly cwd?: string
  /** The workspace that its program got. */
  readonly workspace?: string
  readonly confined?: Confined
  readonly missing: readonly string[]
  readonly resolved: Readonly<Record<string, unknown>>
}

/**
 * Takes the name of a saved connector, or a connector that is not saved. Gets the workspace of the session if one is
 * named.
 */
export type TryOut = (
  what: { readonly name: string } | { readonly connector: unknown },
  options: { readonly session?: string | undefined; readonly signal: AbortSignal },
) => Promise<Outcome>

export function createTryOut(deps: {
  readonly find: (name: string) => Promise<ConnectorRecord>
  /** Without a session, returns a harmless place. */
  readonly placeOf: (session: string | undefined) => Promise<SessionPlace>
  readonly resolver: Resolver
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<Trial>
  readonly keep: (connectorId: string, version: string, lists: KnownLists) => Promise<void>
  readonly redactor: Pick<Redactor, 'text' | 'forPerson'>
}): TryOut {
  const { find, placeOf, resolver, test, keep, redactor } = deps
  return async (what, { session, signal }) => {
    const saved = 'name' in what ? await find(what.name) : undefined
    const connector = saved ? saved.connector : checkConnector((what as { readonly connector: unknown }).connector)
    const place = await placeOf(session)
    // Try disabled connectors too: people test a connector before they enable it.
    const tried: Connector = { ...connector, enabled: true }
    const { redacted: resolved, missing } = resolver.preview(tried, {}, place)
    if (missing.length > 0) return { ok: false, ms: 0, error: `It needs ${howToSet(missing)}`, missing, resolved }
    const startedAt = performance.now()
    const ms = () => Math.round(performance.now() - startedAt)
    try {
      const { target, version, fingerprint } = resolver.resolve(tried, {}, place)
      const trial = await test(target, signal)
      signal.throwIfAborted()
      const seen = { ms: ms(), ...placeOfProgram(target), missing, resolved }
      if ('report' in trial) {
        if (saved && trial.ownLists) await keep(saved.id, fingerprint, trial.ownLists)
        if (saved && trial.lists) await keep(saved.id, version, trial.lists)
        const tools = trial.report.tools.filter(createToolTest(toolFilterOf(tried.options)))
        return { ok: true, ...trial.report, tools, ...seen }
      }
      const { error, stderr } = trial
      return { ok: false, error: redactor.text(error), ...(stderr !== '' && { stderr }), ...seen }
    } catch (error) {
      // The values that were filled in may be invalid.
      if (!(error instanceof HubError)) throw error
      return { ok: false, ms: ms(), error: withoutKnownSecrets(redactor, error.message), missing, resolved }
    }
  }
}

function placeOfProgram({ reach }: UpstreamTarget): Pick<Outcome, 'cwd' | 'workspace' | 'confined'> {
  if (reach.transport !== 'stdio') return {}
  const { cwd, workspace, confined } = reach
  return {
    cwd,
    ...(workspace !== undefined && { workspace }),
    ...(confined && { confined: { by: 'bubblewrap', network: confined.sandbox.network } }),
  }
}
