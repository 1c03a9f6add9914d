/** What is kept of one connector's login: a file that only its owner may read, replaced whole or not at all. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { isRecord } from '../wire.ts'

export interface Credentials {
  /** The upstream that they are for, and for no other. */
  readonly url: string
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  readonly discovery?: OAuthDiscoveryState
  /** A login that a person has begun. */
  readonly login?: { readonly state: string; readonly verifier: string; readonly address: string; readonly at: number }
}

export interface CredentialsFile {
  read(): Credentials
  /** `undefined` takes a field out. */
  change(change: { readonly [Field in Exclude<keyof Credentials, 'url'>]?: Credentials[Field] | undefined }): void
  remove(): void
}

export function openCredentialsFile(options: {
  readonly directory: string
  readonly connector: string
  readonly url: string
}): CredentialsFile {
  const { directory, connector, url } = options
  const path = join(directory, `${encodeURIComponent(connector)}.json`)

  function read(): Credentials {
    const kept = parse(path)
    // A connector that now points elsewhere must not take its tokens along.
    return isRecord(kept) && kept['url'] === url ? (kept as unknown as Credentials) : { url }
  }

  return {
    read,
    change(change) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify({ ...read(), ...change }), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    remove: () => rmSync(path, { force: true }),
  }
}

/** Whose credentials are kept here, and for which upstream. */
export function listCredentials(directory: string): { readonly name: string; readonly url: string }[] {
  return namesIn(directory)
    .filter((name) => name.endsWith('.json'))
    .flatMap((file) => {
      const kept = parse(join(directory, file))
      const url = isRecord(kept) ? kept['url'] : undefined
      return typeof url === 'string' ? [{ name: decodeURIComponent(file.slice(0, -'.json'.length)), url }] : []
    })
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
