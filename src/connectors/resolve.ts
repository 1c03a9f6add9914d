/**
 * The only way to get the configuration of an upstream.
 *
 *   connector < binding → `${VAR}`, env_keys and `{workspace}` filled in → target
 *
 * Beside the target, it returns the configuration with its references left in place. People see that one and the
 * fingerprint is computed from it, so neither can contain a secret.
 */
import { createHash } from 'node:crypto'
import { resolve as resolvePath } from 'node:path'
import type { Connector, Overrides } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import { redactedText } from '../base/redact.ts'
import { replaceRanges } from '../base/text-ranges.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import { checkReach, isWebAddress } from './check-connector.ts'
import { merge } from './merge.ts'
import { mapTexts } from './texts/connector-texts.ts'
import { findLiteralSecrets } from './texts/literal-secrets.ts'
import type { Places } from './texts/references.ts'
import { fillIn } from './texts/references.ts'
import type { Variables } from './variables.ts'
import { createVariables } from './variables.ts'

export interface SessionPlace {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  /** `undefined`: its program runs as the person. */
  readonly confined?: object | undefined
  /** There is no session: a confined program must not write to its path. */
  readonly isNowhere?: boolean
}

export interface Resolution {
  readonly target: UpstreamTarget
  /** For people: shows the references instead of their values. */
  readonly redacted: Readonly<Record<string, unknown>>
  /** Computed without the values of secrets, so it stays the same when only those change. */
  readonly fingerprint: string
  /** Computed from the configuration as written, so it is the same for every session with the same overrides. */
  readonly version: string
}

/** A resolution for display only. It works even if variables are not set. */
export interface Preview extends Pick<Resolution, 'redacted' | 'fingerprint' | 'version'> {
  /** Variables that are not set. */
  readonly missing: readonly string[]
}

export interface Resolver {
  /** Throws if the connector is disabled or a variable is not set. */
  resolve(connector: Connector, overrides: Overrides, session: SessionPlace): Resolution
  preview(connector: Connector, overrides: Overrides, session: SessionPlace): Preview
}

export interface ResolverOptions {
  /** The hub's environment, in which variables are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The variables that every program gets: PATH, HOME … */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Where programs start. No agent can write there. */
  readonly startDirectory: string
  readonly redactor: Pick<Redactor, 'addSecret' | 'forPerson'>
}

/** A first start may have to download the program. */
const defaultHandshakeMs = 60_000
/** Most upstreams are silent for minutes, and reopening a stream is cheap. */
const defaultHeartbeatMs = 300_000

export function createResolver({ environment, baseEnvironment, startDirectory, redactor }: ResolverOptions): Resolver {
  const homeOf = () => baseEnvironment['HOME'] ?? '/'

  return {
    resolve(connector, overrides, session) {
      const merged = merge(connector, overrides)
      checkReach(merged)
      if (!merged.enabled) {
        throw new HubError(
          'unavailable',
          `The connector "${merged.name}" is switched off. Save it with "enabled": true.`,
        )
      }
      const variables = createVariables(environment, (value) => redactor.addSecret(value))
      const { name, strict, options } = merged
      const reach =
        merged.transport === 'stdio'
          ? reachProgram(merged, session, variables)
          : reachAddress(merged, session, variables)
      const missing = variables.missing()
      if (missing.length > 0) throw whatIsMissing(name, missing)
      checkFilled(merged, reach)
      return {
        target: {
          name,
          reach,
          era: options.era ?? 'auto',
          strict,
          handshakeMs: options.handshake_ms ?? defaultHandshakeMs,
          callMs: options.call_ms,
          heartbeatMs: options.heartbeat_ms ?? defaultHeartbeatMs,
        },
        ...shownOf(merged, session),
        version: versionOf(merged),
      }
    },
    preview(connector, overrides, session) {
      const merged = merge(connector, overrides)
      const variables = createVariables(environment, (value) => redactor.addSecret(value))
      if (merged.transport === 'stdio') reachProgram(merged, session, variables)
      else reachAddress(merged, session, variables)
      return { ...shownOf(merged, session), version: versionOf(merged), missing: variables.missing() }
    },
  }

  /**
   * Redacts known values after the fingerprint is computed. A value may become known later, and that must not change
   * the fingerprint.
   */
  function shownOf(connector: Connector, session: SessionPlace): Pick<Resolution, 'redacted' | 'fingerprint'> {
    const { redacted, fingerprint } = withoutSecrets(connector, session)
    return { redacted: mapTexts(redacted, (text) => withoutKnownSecrets(redactor, text)), fingerprint }
  }

  function reachProgram(connector: Connector, session: SessionPlace, variables: Variables): UpstreamTarget['reach'] {
    const { cmd = '', args = [], env_keys: keys, options } = connector
    const fill = (text: string, name?: string) => variables.fill(text, placesOf(session), name)
    const env = Object.entries(options.env ?? {}).map(([name, text]) => [name, fill(text, name)] as const)
    return {
      transport: 'stdio',
      command: fill(cmd),
      args: args.map((arg) => fill(arg)),
      env: { ...baseEnvironment, ...Object.fromEntries(env), ...variables.named(keys) },
      cwd: directoryOf(connector, session, fill),
      ...(options.shared !== true && { workspace: session.workspacePath }),
      ...confinedBy(connector, session),
    }
  }

  function reachAddress(connector: Connector, session: SessionPlace, variables: Variables): UpstreamTarget['reach'] {
    const { base_url: url = '', headers = {}, transport, options } = connector
    const places = placesOf(session)
    const { client_id: id, client_secret: secret } = options.oauth ?? {}
    const filled = Object.entries(headers).map(([name, text]) => [name, variables.fill(text, places, name)] as const)
    return {
      transport: transport === 'sse' ? 'sse' : 'http',
      url: variables.fill(url, inAddress(places)),
      headers: Object.fromEntries(filled),
      ...(id !== undefined && {
        oauthClient: {
          id: variables.fill(id, places),
          ...(secret !== undefined && { secret: variables.fill(secret, places, 'client_secret') }),
        },
      }),
    }
  }

  /**
   * A program that is not confined starts in a workspace only if a person says so: npx, Python and others run what they
   * find in the directory they start in, and an agent writes there.
   */
  function directoryOf(connector: Connector, session: SessionPlace, fill: (text: string) => string): string {
    const { options } = connector
    if (options.cwd === undefined && !isConfined(connector)) return startDirectory
    const base = options.shared === true ? homeOf() : session.workspacePath
    const asked = fill(options.cwd ?? '.')
    return resolvePath(base, asked === '~' || asked.startsWith('~/') ? homeOf() + asked.slice(1) : asked)
  }
}

function versionOf(connector: Connector): string {
  return `version ${withoutSecrets(connector, anySession).fingerprint}`
}

/** A shared upstream belongs to no session. */
export function isConfined({ options: { sandbox } }: Connector): boolean {
  return sandbox !== undefined && sandbox !== 'off'
}

function confinedBy({ options: { sandbox, shared } }: Connector, { id, workspacePath, isNowhere }: SessionPlace) {
  if (sandbox === undefined || sandbox === 'off') return {}
  const isOfSession = shared !== true && isNowhere !== true
  return { confined: { sandbox, ...(isOfSession && { session: id, workspace: workspacePath }) } }
}

const anySession: SessionPlace = { id: '', name: '', workspacePath: '' }

function placesOf({ id, name, workspacePath }: SessionPlace): Places {
  return { workspace: workspacePath, session_id: id, session_name: name }
}

function inAddress(places: Places): Places {
  return { ...places, workspace: encodeURIComponent(places.workspace) }
}

/** A value may make a valid text invalid. The message names the place and never the value. */
function checkFilled({ name, base_url: url = '' }: Connector, reach: UpstreamTarget['reach']): void {
  if (reach.transport === 'stdio') return
  if (!isWebAddress(reach.url)) {
    throw new HubError(
      'invalid',
      `The connector "${name}": "${url}" does not resolve to an address that starts with http:// or https://.`,
    )
  }
  for (const [header, value] of Object.entries(reach.headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new HubError(
        'invalid',
        `The connector "${name}": the header ${header} comes to a text with a line break or a character that no header may ` +
          'have. Look at the variable in it: perhaps it ends in a line break.',
      )
    }
  }
}

function withoutSecrets(connector: Connector, session: SessionPlace): Pick<Resolution, 'redacted' | 'fingerprint'> {
  const places = placesOf(session)
  const shown = mapTexts(connector, (text, { name, field }) =>
    fillIn(
      replaceRanges(text, findLiteralSecrets(text, name), redactedText),
      field === 'base_url' ? inAddress(places) : places,
      (_, written) => written,
    ),
  )
  const cwd = shown.transport === 'stdio' && shown.options.shared !== true ? { workspace: session.workspacePath } : {}
  const { kind: _kind, enabled: _enabled, ...redacted } = shown
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(sorted({ ...redacted, ...cwd })))
    .digest('hex')
  return { redacted, fingerprint }
}

/** Maps with the same entries get the same fingerprint in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}

function whatIsMissing(connector: string, missing: readonly string[]): HubError {
  return new HubError('unavailable', `The connector "${connector}" needs ${howToSet(missing)}`, {
    data: { connector, missing },
  })
}

/** Completes a sentence that ends with "needs". */
export function howToSet(variables: readonly string[]): string {
  const [first = ''] = variables
  const verb = variables.length === 1 ? 'which is' : 'which are'
  return (
    `${variables.join(', ')}, ${verb} not set in the environment of the hub. Set it where the hub is started, such as ` +
    `export ${first}=… before "signalbox up", or Environment= in its service, and restart the hub.`
  )
}
