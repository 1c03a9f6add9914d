/** Starts the servers to compare, each in a process that can report its CPU time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { startHubProcess } from '../../test/worlds/hub-process.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { openConnection } from './http-connection.ts'
import { initialize, initialized, legacyCall, modernCall, type Target } from './request-bytes.ts'
import { type Era, resultVariable } from './server-under-test.ts'

export interface Contender {
  readonly name: string
  readonly era: Era
  readonly port: number
  /** The prepared call of each caller. In the legacy era each caller has its own MCP connection. */
  readonly requests: readonly Buffer[]
  readonly isBaseline: boolean
  cpuMicros(): Promise<number>
}

export interface Contenders extends AsyncDisposable {
  readonly all: readonly Contender[]
}

const cpuReporter = ['--import', new URL('report-cpu.ts', import.meta.url).href]

export async function startContenders(maxConnections: number): Promise<Contenders> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const hub = stack.use(await startHubProcess({ home: home.path, nodeFlags: cpuReporter, ipc: true }))
  const hubTarget: Target = { port: hub.port, path: '/mcp', token: hub.token }
  const env = {
    [resultVariable('legacy')]: await resultOf(hubTarget, 'legacy'),
    [resultVariable('modern')]: await resultOf(hubTarget, 'modern'),
  }
  const [raw, sdkLegacy, sdkModern] = await Promise.all(
    ['raw-server.ts', 'sdk-legacy-server.ts', 'sdk-modern-server.ts'].map(async (file) => {
      const started = await startServer(file, env)
      stack.defer(() => void started.child.kill('SIGKILL'))
      return started
    }),
  )
  if (!raw || !sdkLegacy || !sdkModern) throw new Error('A server of the benchmark did not start.')

  async function contender(name: string, era: Era, child: ChildProcess, target: Target): Promise<Contender> {
    const isBaseline = child === raw?.child
    const requests: Buffer[] = []
    const prepare = isBaseline ? baselineCall : prepareCall
    for (let id = 0; id < maxConnections; id++) requests.push(await prepare(target, era, id))
    return { name, era, port: target.port, requests, isBaseline, cpuMicros: () => cpuMicros(child) }
  }
  const all = [
    await contender('raw `node:http`', 'legacy', raw.child, { port: raw.port, path: '/legacy' }),
    await contender('SDK server', 'legacy', sdkLegacy.child, { port: sdkLegacy.port, path: '/mcp' }),
    await contender('Signalbox', 'legacy', hub.process, hubTarget),
    await contender('raw `node:http`', 'modern', raw.child, { port: raw.port, path: '/modern' }),
    await contender('SDK server', 'modern', sdkModern.child, { port: sdkModern.port, path: '/mcp' }),
    await contender('Signalbox', 'modern', hub.process, hubTarget),
  ]
  const opened = stack.move()
  return { all, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Prepares the bytes of a call. In the legacy era, opens an MCP connection first. */
async function prepareCall(target: Target, era: Era, id: number): Promise<Buffer> {
  if (era === 'modern') return modernCall(target, id)
  const connection = await openConnection(target.port)
  const { status, head, body } = await connection.exchange(initialize(target))
  const connectionId = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1]
  if (connectionId === undefined) throw new Error(`The server opened no MCP connection: ${status} ${body}`)
  await connection.exchange(initialized(target, connectionId))
  connection.close()
  return legacyCall(target, connectionId, id)
}

/** The baseline has no connections, so any id works, as long as the request has the same size. */
async function baselineCall(target: Target, era: Era, id: number): Promise<Buffer> {
  return era === 'modern' ? modernCall(target, id) : legacyCall(target, randomUUID(), id)
}

async function resultOf(target: Target, era: Era): Promise<string> {
  const connection = await openConnection(target.port)
  const { body } = await connection.exchange(await prepareCall(target, era, 1))
  connection.close()
  const { result } = z.object({ result: z.unknown() }).parse(JSON.parse(Buffer.from(body, 'latin1').toString()))
  return JSON.stringify(result)
}

interface Started {
  readonly child: ChildProcess
  readonly port: number
}

async function startServer(file: string, env: Readonly<Record<string, string>>): Promise<Started> {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [...cpuReporter, program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('The child has no stdout.')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(/^listening on (\d+)$/.exec(String(line))?.[1]) }
}

const cpuUsage = z.object({ user: z.number(), system: z.number() })

async function cpuMicros(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message')
  child.send('cpu')
  const { user, system } = cpuUsage.parse((await answer)[0])
  return user + system
}
