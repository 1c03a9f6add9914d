/** The legacy handshake. */
import { z } from 'zod'
import type { Client, Params } from '../mcp/mcp.ts'
import { isLegacyVersion, newestLegacyVersion } from '../mcp/mcp.ts'
import type { Face } from './face.ts'
import { check } from './methods.ts'

const initializeParams = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }).optional(),
})

/** The client as it describes itself, with the negotiated revision. */
export function readInitialize(params: Params): Client {
  const { protocolVersion, capabilities, clientInfo } = check(initializeParams, params)
  return {
    era: 'legacy',
    version: isLegacyVersion(protocolVersion) ? protocolVersion : newestLegacyVersion,
    capabilities,
    ...(clientInfo && { info: clientInfo }),
  }
}

export function initializeResult(client: Client, face: Face): object {
  const { info, instructions } = face
  const capabilities = face.capabilities('legacy')
  return { protocolVersion: client.version, capabilities, serverInfo: info, instructions }
}
