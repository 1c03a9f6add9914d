/** The upstreams of a killed hub end with it, and the next hub starts them again. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { withArgument } from '../fixtures/processes.ts'
import { until } from '../fixtures/until.ts'
import {
  type ConnectorArgs,
  type GatewayHub,
  overStdio,
  startGatewayHub,
  upstreamProgram,
} from '../worlds/gateway-hub.ts'
import { type Endpoint, modernRequest } from '../harness/modern-call.ts'
import { childrenOf, markedBy } from './hub-use.ts'

const labels = ['one', 'two', 'three']

let hub: GatewayHub
let agent: Endpoint
beforeAll(async () => {
  hub = await startGatewayHub()
  agent = await hub.agentOf('agent', connectorsIn(hub.home))
  for (const label of labels) await until(() => isAnswered(agent, label))
})
afterAll(() => hub[Symbol.asyncDispose]())

test('the next hub shows the last known lists at once, and then the upstreams run again', async () => {
  await writeFile(holdFile(hub.home), '')
  await hub.restart('SIGKILL')
  expect(await toolNames(agent)).toEqual(expect.arrayContaining(labels.map((label) => `${label}_echo`)))
  await rm(holdFile(hub.home))
  for (const label of labels) await until(() => isAnswered(agent, label))
  await until(() => markedBy(hub.home).length === 3 * labels.length)
})

test('the upstreams of a killed hub and all their processes end with it, and leave no zombie', async () => {
  // For each: the server, a process that it started, and one in a session of its own.
  const started = await until(() => {
    const pids = markedBy(hub.home)
    return pids.length === 3 * labels.length && pids
  })
  const reapers = withArgument('signalbox-reaper').filter((pid) => childrenOf(hub.process.pid!).includes(pid))
  expect(reapers).toHaveLength(1)
  await hub.end('SIGKILL')
  await until(() => markedBy(hub.home).length === 0)
  await until(() => [...started, ...reapers].every((pid) => !existsSync(`/proc/${pid}`)))
})

/** A shell that starts two more programs before it becomes the server. It waits while the file exists. */
function connectorsIn(home: string): Readonly<Record<string, ConnectorArgs>> {
  const { cmd, args, env } = upstreamProgram('plain-upstream', '--stdio')
  const script = 'while [ -e "$0" ]; do sleep 0.05; done; sleep 1000 & setsid sleep 1000 & exec "$@"'
  const connector = overStdio({ cmd: 'sh', args: ['-c', script, holdFile(home), cmd, ...args], ...(env && { env }) })
  return Object.fromEntries(labels.map((label) => [label, connector]))
}

function holdFile(home: string): string {
  return join(home, 'hold')
}

async function isAnswered(agent: Endpoint, label: string): Promise<boolean> {
  const call = modernRequest(agent, 'tools/call', { name: `${label}_echo`, arguments: { text: 'hello' } })
  return JSON.stringify(await call.catch(() => ({}))).includes('"hello"')
}

async function toolNames(agent: Endpoint): Promise<readonly string[]> {
  const { tools } = z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(await modernRequest(agent, 'tools/list'))
  return tools.map(({ name }) => name)
}
