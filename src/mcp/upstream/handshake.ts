/**
 * Finding out what an upstream is: `initialize` of the legacy era, or `server/discover` of 2026-07-28.
 *
 * Where the era is not known, HTTP is asked the modern way first, as the specification has it. A stdio server is not:
 * some exit on anything that comes before `initialize`.
 */
import { messageOf } from '../../base/hub-error.ts'
import type { Implementation } from '../sdk.ts'
import type { Params } from '../wire.ts'
import { errorCode, isRecord, metaKey, metaOf, modernVersion, newestLegacyVersion, RpcError } from '../wire.ts'
import { tellingLine } from './telling-line.ts'
import { Unanswered } from './unanswered.ts'
import type { UpstreamIdentity, UpstreamTarget } from './upstream.ts'
import { clientCapabilities } from './upstream.ts'

export interface Hand {
  ask(method: string, params: Params, timeoutMs?: number): Promise<object>
  tell(method: string): Promise<void>
  agree(version: string): void
  readonly info: Implementation
}

/** Each question is of its era, whatever the answer will be. */
export const handshakeEras: ReadonlyMap<string, UpstreamIdentity['era']> = new Map([
  ['initialize', 'legacy'],
  ['server/discover', 'modern'],
])

export async function shakeHands(hand: Hand, target: UpstreamTarget): Promise<UpstreamIdentity> {
  const { era, reach, handshakeMs } = target
  if (era === 'legacy' || reach.transport === 'sse') return initialize(hand)
  if (era === 'modern') return discover(hand)
  return reach.transport === 'http' ? discoverFirst(hand, handshakeMs) : initializeFirst(hand)
}

async function discoverFirst(hand: Hand, handshakeMs: number): Promise<UpstreamIdentity> {
  try {
    // A server that leaves what it does not know unanswered must still have its time for the other question.
    return await discover(hand, handshakeMs / 2)
  } catch (error) {
    if (isGone(error)) throw error
    // It takes what it has just refused: another of its replicas did.
    return speaksModern(error) ? discover(hand) : initialize(hand)
  }
}

async function initializeFirst(hand: Hand): Promise<UpstreamIdentity> {
  try {
    return await initialize(hand)
  } catch (error) {
    if (!(error instanceof RpcError) || !refusals.has(error.code)) throw error
    return discover(hand).catch(() => {
      throw error
    })
  }
}

/** What a server answers to a question of the era that it does not speak. */
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
  const params = { protocolVersion: newestLegacyVersion, capabilities: clientCapabilities, clientInfo: hand.info }
  const result = await hand.ask('initialize', params)
  const { protocolVersion, capabilities, serverInfo, instructions } = result as Params
  if (typeof protocolVersion !== 'string' || !isBefore(protocolVersion, modernVersion)) {
    throw new RpcError(
      errorCode.unsupportedVersion,
      `It wants to speak the revision ${JSON.stringify(protocolVersion)}, which is none that begins with initialize.`,
    )
  }
  hand.agree(protocolVersion)
  await hand.tell('notifications/initialized')
  return identity('legacy', protocolVersion, { capabilities, info: serverInfo, instructions })
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

function identity(era: 'legacy' | 'modern', version: string, said: Params): UpstreamIdentity {
  const { capabilities, info, instructions } = said
  return {
    era,
    version,
    capabilities: isRecord(capabilities) ? capabilities : {},
    ...(isRecord(info) && { info: info as Implementation }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/** Revisions are dates; older ones than we list were never withdrawn either. */
function isBefore(version: string, limit: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version < limit
}

/** Why it could not be started, in its own words where it said any. */
export function startReason(error: unknown, stderr = ''): string {
  const words = messageOf(error)
  const reason = error instanceof RpcError ? `It refused the handshake (${error.code}): ${words}` : words
  const said = tellingLine(stderr)
  return said === '' || reason.includes(said) ? reason : `${reason} It last said: ${said}`
}
