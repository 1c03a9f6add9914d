/**
 * Finds out what an upstream is: `initialize` for the legacy era, `server/discover` for 2026-07-28.
 *
 * If the era is unknown and the caller has no preference, HTTP servers are tried the modern way first, as the
 * specification says. Stdio servers are not: some of them exit on any message before `initialize`.
 */
import { heldBy } from '../base/held-memory.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Implementation, Params } from '../mcp/mcp.ts'
import {
  clientCapabilities,
  errorCode,
  isRecord,
  metaKey,
  metaOf,
  modernVersion,
  newestLegacyVersion,
  RpcError,
} from '../mcp/mcp.ts'
import { errorLine } from './error-line.ts'
import { Unanswered } from './unanswered.ts'
import type { UpstreamIdentity, UpstreamTarget } from './upstream-types.ts'

export interface Hand {
  ask(method: string, params: Params, timeoutMs?: number): Promise<object>
  notify(method: string): Promise<void>
  agree(version: string): void
  readonly info: Implementation
}

/** Each handshake request belongs to one era, whatever the answer is. */
export const handshakeEras: ReadonlyMap<string, UpstreamIdentity['era']> = new Map([
  ['initialize', 'legacy'],
  ['server/discover', 'modern'],
])

export async function shakeHands(hand: Hand, target: UpstreamTarget): Promise<UpstreamIdentity> {
  const { era, reach, handshakeMs } = target
  if (era === 'legacy' || reach.transport === 'sse') return initialize(hand)
  if (era === 'modern') return discover(hand)
  const { preferredEra = usualEra(target) } = target
  return preferredEra === 'modern' ? discoverFirst(hand, handshakeMs) : initializeFirst(hand)
}

/** The era to try first if there is no reason to prefer the other. */
export function usualEra({ reach }: UpstreamTarget): UpstreamIdentity['era'] {
  return reach.transport === 'http' ? 'modern' : 'legacy'
}

async function discoverFirst(hand: Hand, handshakeMs: number): Promise<UpstreamIdentity> {
  try {
    // A server that does not answer unknown methods must have time left for the other handshake.
    return await discover(hand, handshakeMs / 2)
  } catch (error) {
    if (isGone(error)) throw error
    // The refusal lists this revision as supported, so another replica probably accepts it.
    return speaksModern(error) ? discover(hand) : initialize(hand)
  }
}

async function initializeFirst(hand: Hand): Promise<UpstreamIdentity> {
  try {
    return await initialize(hand)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return discover(hand).catch(() => {
      throw error
    })
  }
}

/** A refusal is a JSON-RPC error of the protocol, or a bare HTTP status. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return refusals.has(error.code)
  return error instanceof HubError && refusalStatuses.has(error.data?.['status'])
}

const refusalStatuses = new Set<unknown>([400, 404, 405])

/** The codes with which servers answer a handshake of the era they do not speak. */
const refusals = new Set<number>([
  errorCode.methodNotFound,
  errorCode.unsupportedVersion,
  errorCode.invalidParams,
  errorCode.invalidRequest,
])

function speaksModern(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== errorCode.unsupportedVersion) return false
  const { supported } = isRecord(error.data) ? error.data : {}
  return Array.isArray(supported) && supported.includes(modernVersion)
}

function isGone(error: unknown): boolean {
  return error instanceof Unanswered && error.fate !== 'lost'
}

async function initialize(hand: Hand): Promise<UpstreamIdentity> {
  const capabilities = { ...clientCapabilities, roots: { listChanged: true } }
  const params = { protocolVersion: newestLegacyVersion, capabilities, clientInfo: hand.info }
  const result = await hand.ask('initialize', params)
  const { protocolVersion, serverInfo, instructions, capabilities: offered } = result as Params
  if (typeof protocolVersion !== 'string' || !isBefore(protocolVersion, modernVersion)) {
    throw new RpcError(
      errorCode.unsupportedVersion,
      `It answered initialize with the revision ${JSON.stringify(protocolVersion)}, which is not a legacy revision.`,
    )
  }
  hand.agree(protocolVersion)
  await hand.notify('notifications/initialized')
  return identity('legacy', protocolVersion, { capabilities: offered, info: serverInfo, instructions })
}

async function discover(hand: Hand, timeoutMs?: number): Promise<UpstreamIdentity> {
  const result = (await hand.ask('server/discover', {}, timeoutMs)) as Params
  const { supportedVersions, capabilities, instructions } = result
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(modernVersion)) {
    throw new RpcError(errorCode.unsupportedVersion, `It does not speak ${modernVersion}.`)
  }
  hand.agree(modernVersion)
  return identity('modern', modernVersion, { capabilities, info: metaOf(result)[metaKey.serverInfo], instructions })
}

function identity(era: 'legacy' | 'modern', version: string, fields: Params): UpstreamIdentity {
  const { capabilities, info, instructions } = fields
  if (heldBy(fields, largestIdentity) > largestIdentity) {
    throw new RpcError(errorCode.internal, `What it says about itself takes more than ${largestIdentity} bytes.`)
  }
  return {
    era,
    version,
    capabilities: isRecord(capabilities) ? capabilities : {},
    ...(isRecord(info) && { info: info as Implementation }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/** It is kept for each session that uses the upstream. */
const largestIdentity = 4 * 1024 * 1024

/** Revisions are dates. Revisions older than our list were never withdrawn, so they are accepted too. */
function isBefore(version: string, limit: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version < limit
}

/** Says why the upstream did not start, with its last line on stderr if there is one. */
export function startReason(error: unknown, stderr = ''): string {
  const message = messageOf(error)
  const reason = error instanceof RpcError ? `It refused the handshake (${error.code}): ${message}` : message
  const line = errorLine(stderr)
  return line === '' || reason.includes(line) ? reason : `${reason} It last said: ${line}`
}
