/** The legacy handshake. */
import { z } from 'zod'
import type { Face } from './face.ts'
import { check } from './methods.ts'
import type { Client } from './provider.ts'
import type { Params } from './wire.ts'
import { isLegacyVersion, newestLegacyVersion } from './wire.ts'

const initializeParams = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }).optional(),
})

/** Who the client says it is, with the revision both will speak. */
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
