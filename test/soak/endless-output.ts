/** Measures memory while a program prints as fast as it can and its viewers have stopped reading. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { modernVersion } from '../../src/mcp/wire.ts'
import { encodeFrame, frameKind } from '../../src/terminal/holder/frames.ts'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { callTool, type Endpoint, modernMeta } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { postHead } from '../http/raw-socket.ts'
import { collectedMemory, reportsMemory } from './collected-memory.ts'

export interface EndlessReport {
  readonly megabytes: number
  /** The growth after the hub was warm: of the memory that the hub holds, and of the holder's peak memory. */
  readonly grownMb: { readonly hub: number; readonly holder: number }
}

const patience = { timeout: 600_000, interval: 100 }
const line = 'A signal box is the house from which the points and signals of a railway are set.'
/** `warmShare`: the share of the output after which all code is loaded, so that only later memory counts as growth. */
export async function printWithoutEnd(megabytes: number, warmShare = 0.1): Promise<EndlessReport> {
  await using home = await createTempHome()
  // The journal is small, so that it drops most of the output.
  await using hub = await startHubProcess({
    ...reportsMemory,
    home: home.path,
    env: { SIGNALBOX_JOURNAL_MAX_MB: '16' },
  })
  const go = join(home.path, 'go')
  const warmBytes = megabytes * warmShare * 1e6
  const print = (bytes: number) => `yes '${line}' | head -c ${bytes}`
  const command = `stty raw; ${print(warmBytes)}; until [ -e '${go}' ]; do sleep 0.05; done; ${print(megabytes * 1e6 - warmBytes)}; exec cat`
  const session = (await callTool(hub, 'create_session', { name: 'endless', command })) as unknown as Session
  await using _viewers = stopReading(hub, session)
  await untilDrawn(hub, warmBytes)
  const memory = async () => ({ hub: await heldMb(hub), holder: peakMb(holderOf(session).pid) })
  const before = await memory()

  writeFileSync(go, '')
  await untilDrawn(hub, megabytes * 1e6)
  const after = await memory()
  return { megabytes, grownMb: { hub: after.hub - before.hub, holder: after.holder - before.holder } }
}

async function untilDrawn(hub: Endpoint, bytes: number): Promise<void> {
  const offset = async () => (await callTool(hub, 'read_screen', { session: 'endless' }))['offset']
  await expect.poll(offset, patience).toBe(bytes)
}

/** One socket asks the hub for output, one subscribes to changes, one attaches to the holder. None of them reads. */
function stopReading({ url, token }: Endpoint, session: Session): AsyncDisposable {
  const { port } = new URL(url)
  const ask = (method: string, name: string | undefined, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } })
    const headers = {
      'Mcp-Protocol-Version': modernVersion,
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': name }),
      'Content-Length': String(Buffer.byteLength(body)),
    }
    return `${postHead(token, headers)}${body}`
  }
  const atHub = () => connect(Number(port), '127.0.0.1')
  const reader = atHub()
  const args = { session: 'endless', since: 0, max_bytes: 1_048_576 }
  // Sends many requests before it reads the first answer.
  reader.write(ask('tools/call', 'read_output', { name: 'read_output', arguments: args }).repeat(50))
  const follower = atHub()
  const notifications = { resourceSubscriptions: [`resource://sessions/${session.id}/log`] }
  follower.write(ask('subscriptions/listen', undefined, { notifications }))
  const attached = connect(holderOf(session).socket)
  attached.write(encodeFrame(frameKind.attach, Buffer.from(JSON.stringify({ from: 0 }))))
  const all = [reader, follower, attached]
  for (const socket of all) socket.pause()
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy()
    },
  }
}

function holderOf({ log_path }: Session): { readonly pid: number; readonly socket: string } {
  return JSON.parse(readFileSync(join(dirname(log_path), 'holder.json'), 'utf8')) as { pid: number; socket: string }
}

/** The hub's peak would tell how large V8 makes its young generation, which depends on the machine. */
async function heldMb(hub: HubProcess): Promise<number> {
  const { heapUsed, external } = await collectedMemory(hub)
  return Math.round((heapUsed + external) / 1e6)
}

/** The peak memory of the process. */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000)
}
