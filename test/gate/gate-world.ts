/** A hub whose one session is bound to an upstream that counts what reaches it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Endpoint } from '../harness/modern-call.ts'
import { shippedHub } from '../harness/hub-process.ts'
import { type OwnHub, patience, startOwnHub } from '../http/own-hub.ts'

export interface GateWorld extends OwnHub {
  readonly agent: Endpoint & { readonly port: number }
  /** What the upstream was made to do since it was last asked. */
  deeds(): readonly string[]
  /** From now on it does not start. */
  breakUpstream(): void
  setPolicy(source: string): Promise<void>
  /** Waits until somebody is asked, and answers who. */
  pending(): Promise<string>
  /** The answer of decide_approval, or its error. */
  decide(id: string, decision: string, more?: object): Promise<string>
  statusOf(id: string): Promise<unknown>
}

export async function startGateWorld(env: Readonly<Record<string, string>> = {}): Promise<GateWorld> {
  const hub = await startOwnHub({ program: shippedHub, env })
  const file = join(hub.home, 'deeds')
  await hub.call('create_session', { name: 'agent', command: 'cat' })
  await hub.call('save_connector', {
    name: 'counting',
    transport: 'stdio',
    cmd: process.execPath,
    args: [fileURLToPath(new URL('counting-upstream.ts', import.meta.url)), file],
  })
  await hub.call('bind_connector', { session: 'agent', connector: 'counting', label: 'up' })
  const { token } = await hub.call('issue_token', { role: 'agent', session: 'agent' })
  const approvals = async (filter: object) =>
    (await hub.call('list_approvals', { ...filter }))['approvals'] as readonly { id: string; status: string }[]
  return {
    ...hub,
    get process() {
      return hub.process
    },
    agent: { url: hub.url, port: hub.port, token: String(token) },
    deeds() {
      if (!existsSync(file)) return []
      const lines = readFileSync(file, 'utf8').trim().split('\n')
      rmSync(file)
      return lines.map((line) => line.trim())
    },
    breakUpstream: () => writeFileSync(`${file}.broken`, ''),
    setPolicy: async (source) => void (await hub.call('set_policy', { scope: 'hub', source })),
    async pending() {
      await expect.poll(() => approvals({}), patience).toHaveLength(1)
      return (await approvals({}))[0]!.id
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
