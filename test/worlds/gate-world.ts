/**
 * A hub with one session that is bound to an upstream. The upstream logs what reaches it, and so does the program in
 * the terminal.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { until } from '../fixtures/until.ts'
import { compileCache } from '../harness/compile-cache.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { shippedHub } from './hub-process.ts'
import { type OwnHub, patience, startOwnHub } from './own-hub.ts'

export interface GateWorld extends OwnHub {
  readonly agent: Endpoint & { readonly port: number }
  /** The path of the session's own socket. */
  readonly socket: string
  /** The actions of the upstream since the last check. */
  deeds(): readonly string[]
  /** The text typed into the terminal since the last check. */
  typed(): Promise<readonly string[]>
  /** From now on the upstream does not start. */
  breakUpstream(): void
  setPolicy(source: string): Promise<void>
  /** Waits until an approval is pending, and returns its id. */
  pending(): Promise<string>
  /** The answer of decide_approval, or its error. */
  decide(id: string, decision: string, more?: object): Promise<string>
  statusOf(id: string): Promise<unknown>
}

export async function startGateWorld(env: Readonly<Record<string, string>> = {}): Promise<GateWorld> {
  const hub = await startOwnHub({ program: shippedHub, env })
  const file = join(hub.home, 'deeds')
  const typed = join(hub.home, 'typed')
  const { mcp_socket: socket } = await hub.call('create_session', {
    name: 'agent',
    command: `while read -r line; do echo "$line" >> '${typed}'; done`,
    tools: ['send_text'],
  })
  await hub.call('save_connector', {
    name: 'counting',
    transport: 'stdio',
    cmd: process.execPath,
    args: [fileURLToPath(new URL('counting-upstream.ts', import.meta.url)), file],
    options: { env: compileCache },
  })
  await hub.call('bind_connector', { session: 'agent', connector: 'counting', label: 'up' })
  const { token } = await hub.call('issue_token', { role: 'agent', session: 'agent' })
  const approvals = async (filter: object) =>
    (await hub.call('list_approvals', { ...filter }))['approvals'] as readonly { id: string; status: string }[]
  const newlyTyped = createLineReader(typed)
  let marks = 0
  let policy = ''
  return {
    ...hub,
    get process() {
      return hub.process
    },
    agent: { url: hub.url, port: hub.port, token: String(token) },
    socket: String(socket),
    deeds: createLineReader(file),
    async typed() {
      // A terminal keeps the order: text that was typed before the mark comes before it.
      const mark = `mark ${++marks}`
      // `force`, because a call of its agent may be waiting for an approval.
      await hub.call('send_input', { name: 'agent', text: mark, force: true })
      await expect.poll(() => linesIn(typed), patience).toContain(mark)
      return newlyTyped().filter((line) => !line.startsWith('mark '))
    },
    breakUpstream: () => writeFileSync(`${file}.broken`, ''),
    async setPolicy(source) {
      // Saving it again would take most of the time of a long table.
      if (source !== policy) await hub.call('set_policy', { scope: 'hub', source })
      policy = source
    },
    async pending() {
      const only = await until(async () => {
        const all = await approvals({})
        return all.length === 1 && all[0]
      })
      return only.id
    },
    async decide(id, decision, more = {}) {
      const answer = await hub.call('decide_approval', { id, decision, ...more }).catch((error: unknown) => error)
      return answer instanceof Error ? answer.message : (answer as { status: string }).status
    },
    async statusOf(id) {
      const all = await approvals({ status: 'all' }).catch(() => [])
      return all.find((approval) => approval.id === id)?.status
    },
  }
}

/** Returns the lines that the last call did not return. The file only grows, since a program may be writing to it. */
function createLineReader(file: string): () => readonly string[] {
  let seen = 0
  return () => {
    const lines = linesIn(file).slice(seen)
    seen += lines.length
    return lines
  }
}

function linesIn(file: string): readonly string[] {
  if (!existsSync(file)) return []
  // Without the last part, which may be half a line.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}
