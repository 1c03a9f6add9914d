/** The stored login of one connector: a file that only its owner may read, always replaced as a whole. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { isRecord } from '../mcp/mcp.ts'
import type { Zone } from '../base/address-zone.ts'

export interface Credentials {
  /** The only upstream that these credentials are for. */
  readonly url: string
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  readonly discovery?: OAuthDiscoveryState
  /** A login that a person has started. */
  readonly login?: BegunLogin
}

export interface BegunLogin {
  readonly state: string
  readonly verifier: string
  readonly address: string
  readonly at: number
  /** Who can reach the upstream. */
  readonly zone: Zone
}

export interface CredentialsFile {
  read(): Credentials
  /** `undefined` removes a field. */
  change(change: { readonly [Field in Exclude<keyof Credentials, 'url'>]?: Credentials[Field] | undefined }): void
  remove(): void
}

export function openCredentialsFile(options: {
  readonly directory: string
  readonly connector: string
  readonly url: string
}): CredentialsFile {
  const { directory, connector, url } = options
  const path = pathOf(directory, connector)

  function read(): Credentials {
    return ofThisUpstream(parse(path))
  }

  function ofThisUpstream(kept: unknown): Credentials {
    // A connector that now has another URL must not send its old tokens there.
    return isRecord(kept) && kept['url'] === url ? (kept as unknown as Credentials) : { url }
  }

  return {
    read,
    change(change) {
      // A file that cannot be read now is not overwritten: it may hold the tokens.
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify({ ...ofThisUpstream(parseOrThrow(path)), ...change }), {
        mode: 0o600,
      })
      renameSync(`${path}.new`, path)
    },
    remove: () => rmSync(path, { force: true }),
  }
}

/** Lists the connectors with credentials here, and the upstream of each. */
export function listCredentials(directory: string): { readonly name: string; readonly url: string }[] {
  return namesIn(directory)
    .filter((name) => name.endsWith('.json'))
    .flatMap((file) => {
      const kept = parse(join(directory, file))
      const url = isRecord(kept) ? kept['url'] : undefined
      return typeof url === 'string' ? [{ name: decodeURIComponent(file.slice(0, -'.json'.length)), url }] : []
    })
}

/** Whether there is a login of this connector, at any URL. */
export function hasTokens(directory: string, connector: string): boolean {
  const kept = parse(pathOf(directory, connector))
  return isRecord(kept) && kept['tokens'] !== undefined
}

function pathOf(directory: string, connector: string): string {
  return join(directory, `${encodeURIComponent(connector)}.json`)
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** `undefined`: there is no file that can be parsed now. */
function parse(path: string): unknown {
  try {
    return parseOrThrow(path)
  } catch {
    return undefined
  }
}

/** Throws if there may be a file but it cannot be read. */
function parseOrThrow(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
