/** The client libraries over stdio. They start `signalbox relay` as their server. */
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { openV1 } from './sdk-v1-client.ts'
import { openV2Legacy, openV2Modern } from './sdk-v2-client.ts'
import type { Endpoint } from '../harness/modern-call.ts'

const bin = fileURLToPath(new URL('../../bin/signalbox', import.meta.url))

/** The arguments and environment that tell the relay its target. */
export type RelayTo = (endpoint: Endpoint) => { args: readonly string[]; env: Readonly<Record<string, string>> }

export const toHub: RelayTo = ({ url, token }) => ({ args: ['--url', url], env: { SIGNALBOX_TOKEN: token } })
/** `url` is the path of the socket. */
export const toSocket: RelayTo = ({ url }) => ({ args: ['--socket', url], env: {} })

export function relayClients(to: RelayTo) {
  const program = (endpoint: Endpoint) => {
    const { args, env } = to(endpoint)
    return { command: bin, args: ['relay', ...args], env: { PATH: process.env['PATH'] ?? '', HOME: homedir(), ...env } }
  }
  return {
    connectV1: (endpoint: Endpoint) => openV1(new TransportV1(program(endpoint))),
    connectV2Legacy: (endpoint: Endpoint) => openV2Legacy(new TransportV2(program(endpoint))),
    connectV2Modern: (endpoint: Endpoint) => openV2Modern(new TransportV2(program(endpoint))),
  }
}
