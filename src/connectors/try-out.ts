/** Tries a connector out: whether it answers, what it offers, how long that takes, and what is missing. Keeps nothing. */
import type { Connector } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { Redactor } from '../base/redact.ts'
import type { UpstreamTarget } from '../mcp/mcp.ts'
import { checkConnector } from './check-connector.ts'
import type { ConnectorRecord } from './connector-store.ts'
import { howToSet, type Resolver, type SessionPlace } from './resolve.ts'

/** What an upstream said of itself. */
export interface TestReport {
  readonly era: 'legacy' | 'modern'
  /** The revision that was agreed upon. */
  readonly version: string
  /** As it calls itself. */
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly string[]
  readonly resources: readonly string[]
  readonly prompts: readonly string[]
}

/** What came of asking it. */
export type Trial =
  | { readonly report: TestReport }
  | {
      readonly error: string
      /** The last of what it wrote there; empty where it has none. */
      readonly stderr: string
    }

export interface Outcome extends Partial<TestReport> {
  readonly ok: boolean
  readonly ms: number
  readonly error?: string
  readonly stderr?: string
  /** Where its program ran. */
  readonly cwd?: string
  readonly missing: readonly string[]
  readonly resolved: Readonly<Record<string, unknown>>
}

/** A connector that is kept, by name, or one that is not kept yet; in the place of a session, if one is named. */
export type TryOut = (
  what: { readonly name: string } | { readonly connector: unknown },
  options: { readonly session?: string | undefined; readonly signal: AbortSignal },
) => Promise<Outcome>

export function createTryOut(deps: {
  readonly find: (name: string) => Promise<ConnectorRecord>
  /** Without a session: somewhere harmless. */
  readonly placeOf: (session: string | undefined) => Promise<SessionPlace>
  readonly resolver: Resolver
  readonly test: (target: UpstreamTarget, signal: AbortSignal) => Promise<Trial>
  readonly redactor: Pick<Redactor, 'text'>
}): TryOut {
  const { find, placeOf, resolver, test, redactor } = deps
  return async (what, { session, signal }) => {
    const connector = 'name' in what ? (await find(what.name)).connector : checkConnector(what.connector)
    const place = await placeOf(session)
    // Trying it out is how one finds out whether to switch it on.
    const tried: Connector = { ...connector, enabled: true }
    const { redacted: resolved, missing } = resolver.preview(tried, {}, place)
    if (missing.length > 0) return { ok: false, ms: 0, error: `It needs ${howToSet(missing)}`, missing, resolved }
    const startedAt = performance.now()
    const ms = () => Math.round(performance.now() - startedAt)
    try {
      const { target } = resolver.resolve(tried, {}, place)
      const trial = await test(target, signal)
      signal.throwIfAborted()
      const seen = { ms: ms(), ...cwdOf(target), missing, resolved }
      if ('report' in trial) return { ok: true, ...trial.report, ...seen }
      const { error, stderr } = trial
      return { ok: false, error: redactor.text(error), ...(stderr !== '' && { stderr }), ...seen }
    } catch (error) {
      // What was filled in may be of no use.
      if (!(error instanceof HubError)) throw error
      return { ok: false, ms: ms(), error: redactor.text(error.message), missing, resolved }
    }
  }
}

function cwdOf({ reach }: UpstreamTarget): { readonly cwd?: string } {
  return reach.transport === 'stdio' ? { cwd: reach.cwd } : {}
}
