/** A hub with one session whose upstream floods it, and another session that works. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { until } from '../fixtures/until.ts'
import { compileCache } from '../harness/compile-cache.ts'
import { type Endpoint, modernRequest } from '../harness/modern-call.ts'
import type { Program } from '../gateway/raw-wires.ts'
import { type ConnectorArgs, type GatewayHub, overStdio } from './gateway-hub.ts'

export interface Flood {
  readonly agent: Endpoint
  readonly isRunning: () => boolean
  /** How the flooding call ended. */
  readonly ended: Promise<string>
}

export interface FloodKind {
  readonly kind: string
  /** Of one message, if it is large. */
  readonly bytes?: number
  readonly times?: number
}

export const floodingProgram: Program = {
  cmd: process.execPath,
  env: compileCache,
  args: [fileURLToPath(new URL('../fixtures/flooding-upstream.ts', import.meta.url))],
}

/** Begins a flood in a session of its own. */
export async function startFlood(hub: GatewayHub, session: string, flood: FloodKind, url?: string): Promise<Flood> {
  const connector: ConnectorArgs = url === undefined ? overStdio(floodingProgram) : { transport: 'http', base_url: url }
  const agent = await hub.agentOf(session, { flooder: connector })
  await until(() => isAnswered(agent, 'flooder_echo'))
  const before = bytesReadBy(hub)
  let isRunning = true
  const ended = modernRequest(agent, 'tools/call', { name: 'flooder_flood', arguments: { ...flood } })
    .then(
      (result) => JSON.stringify(result),
      (error: unknown) => String(error),
    )
    .finally(() => (isRunning = false))
  await until(() => bytesReadBy(hub) > before + 128 * 1024)
  return {
    agent,
    isRunning: () => isRunning,
    ended,
  }
}

export async function isAnswered(agent: Endpoint, tool: string): Promise<boolean> {
  const call = modernRequest(agent, 'tools/call', { name: tool, arguments: {} })
  return JSON.stringify(await call.catch(() => ({}))).includes('"done"')
}

/** All bytes that the hub has read, from pipes, sockets and files. */
export function bytesReadBy({ process: { pid } }: GatewayHub): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** The CPU time of the hub with all its threads. */
export function cpuMsOf({ process: { pid } }: GatewayHub): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return ticks * 10
}

/** The most memory that the hub has had at once. */
export function peakMbOf({ process: { pid } }: GatewayHub): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
