/** A backup of a busy hub, restored into another data directory. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import { bundled } from './harness/bundle.ts'
import { callTool, type Endpoint, modernRequest } from './harness/modern-call.ts'
import { findBrokenPromises } from './soak/find-broken-promises.ts'
import { createLedger, type Ledger } from './soak/ledger.ts'
import { type GateWorld, startGateWorld } from './worlds/gate-world.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { patience } from './worlds/own-hub.ts'

const printers = Array.from({ length: 5 }, (_, index) => `printer-${index}`)
const askFirst = 'default: allow\nrules:\n  - ask: "up_Act-Now"\n'

test('a backup of a busy hub holds everything that the hub acknowledged before', { timeout: 600_000 }, async () => {
  await using world = await startGateWorld()
  for (const name of printers) {
    const command = 'i=0; while :; do i=$((i + 1)); echo "line $i of $SIGNALBOX_SESSION"; sleep 0.3; done'
    await world.call('create_session', { name, command })
  }
  await world.setPolicy(askFirst)
  const known = createKnown()
  const { id: revoked, token } = issued.parse(await world.call('issue_token', { role: 'human', label: 'revoked' }))
  known.ledger.issued({ id: revoked, token, label: 'revoked' })
  await world.call('revoke_token', { id: revoked })
  known.ledger.revoked(revoked)

  const stop = new AbortController()
  const working = Promise.all(
    [issueTokens, decideApprovals, savePolicies].map((work) => work(world, known, stop.signal)),
  )
  await expect.poll(() => [...known.decided.values()], patience).toEqual(expect.arrayContaining(['approve', 'deny']))
  await expect.poll(() => known.policies.size, patience).toBeGreaterThan(1)

  let before: Known
  let file: string
  do {
    file = join(temporaryDirectory(), 'backup.tar.gz')
    const output = await readOutputs(world)
    before = copyOf(known, output)
    await signalbox('backup', file, '--journals', '--home', world.home)
    // Only a backup during which the hub worked on proves something.
  } while (known.count() === before.count())
  stop.abort()
  await working
  // The programs of the sessions go on: a restored hub must leave them alone.
  await world.end('SIGKILL')

  const home = join(temporaryDirectory(), 'restored')
  await signalbox('restore', file, '--home', home)
  {
    await using hub = await startHubProcess({ home })
    expect(await findBrokenPromises(hub, before.ledger)).toEqual([])
    await expectSessions(hub, before)
    await expectDecisions(hub, before)
  }
  await world.restart('SIGKILL')
  const { sessions } = sessionPage.parse(await world.call('list_sessions', { status: 'running', limit: 100 }))
  expect(sessions.map(({ name }) => name)).toEqual(expect.arrayContaining(printers))
})

/** The answers of the hub. */
interface Known {
  readonly ledger: Ledger
  /** By the id of an approval. */
  readonly decided: Map<string, 'approve' | 'deny'>
  /** By version. */
  readonly policies: Map<number, string>
  /** The output of each session, by its name. */
  readonly output: ReadonlyMap<string, string>
  count(): number
}

function createKnown(output: ReadonlyMap<string, string> = new Map()): Known {
  const ledger = createLedger()
  const decided = new Map<string, 'approve' | 'deny'>()
  const policies = new Map<number, string>()
  const count = () => ledger.tokens.size + ledger.events.size + decided.size + policies.size
  return { ledger, decided, policies, output, count }
}

function copyOf({ ledger, decided, policies }: Known, output: ReadonlyMap<string, string>): Known {
  const copy = createKnown(output)
  for (const [id, { label, token, is }] of ledger.tokens) {
    copy.ledger.issued({ id, label, token })
    if (is === 'revoked') copy.ledger.revoked(id)
  }
  for (const [seq, id] of ledger.events) copy.ledger.sawEvent({ seq, id })
  for (const [id, decision] of decided) copy.decided.set(id, decision)
  for (const [version, source] of policies) copy.policies.set(version, source)
  return copy
}

type Work = (world: GateWorld, known: Known, stop: AbortSignal) => Promise<void>

const issueTokens: Work = async (world, { ledger }, stop) => {
  while (!stop.aborted) {
    const label = ledger.nextLabel()
    ledger.issued({ ...issued.parse(await world.call('issue_token', { role: 'human', label })), label })
    const { events } = eventPage.parse(await world.call('query_events', { limit: 20 }))
    for (const event of events) ledger.sawEvent(event)
  }
}

const decideApprovals: Work = async (world, { decided }, stop) => {
  for (let count = 0; !stop.aborted; count++) {
    const decision = count % 2 === 0 ? 'approve' : 'deny'
    const called = modernRequest(world.agent, 'tools/call', { name: 'up_act_now', arguments: { count } })
    const outcome = called.catch(() => {})
    const id = await world.pending()
    await world.call('decide_approval', { id, decision })
    decided.set(id, decision)
    await outcome
  }
}

const savePolicies: Work = async (world, { policies }, stop) => {
  while (!stop.aborted) {
    // Of a template that no session has: a change of the policy of a waiting call would abandon it.
    const source = `# version ${policies.size + 1}\nrules:\n  - deny: "up_other-${policies.size + 1}"\n`
    const { version } = savedPolicy.parse(
      await world.call('set_policy', { scope: 'template', target: 'codex', source }),
    )
    policies.set(version, source)
  }
}

async function expectSessions(hub: Endpoint, { output }: Known): Promise<void> {
  const { sessions } = sessionPage.parse(await callTool(hub, 'list_sessions', { limit: 100 }))
  expect(sessions.map(({ name }) => name)).toEqual(expect.arrayContaining(['agent', ...printers]))
  expect(sessions.filter(({ status }) => status === 'running')).toEqual([])
  for (const [name, text] of output) {
    const restored = await readOutput(hub, name)
    expect(restored.startsWith(text), `${name} lost output: ${restored.slice(0, 200)}`).toBe(true)
  }
}

async function expectDecisions(hub: Endpoint, { decided, policies }: Known): Promise<void> {
  for (const [id, decision] of decided) {
    const { approvals } = approvalPage.parse(await callTool(hub, 'list_approvals', { id }))
    expect(approvals).toMatchObject([{ id, decided_at: expect.any(String) }])
    if (decision === 'deny') expect(approvals[0]).toMatchObject({ status: 'denied' })
    else expect(approvals[0]?.status).not.toMatch(/pending|denied|expired/)
  }
  for (const [version, source] of policies) {
    expect(await callTool(hub, 'get_policy', { scope: 'template', target: 'codex', version })).toMatchObject({ source })
  }
  expect(await callTool(hub, 'get_policy', { scope: 'hub' })).toMatchObject({ source: askFirst })
}

async function readOutputs(hub: Endpoint): Promise<ReadonlyMap<string, string>> {
  const output = new Map<string, string>()
  for (const name of printers) output.set(name, await readOutput(hub, name))
  return output
}

/** From the beginning. Waits until there is some. */
async function readOutput(hub: Endpoint, session: string): Promise<string> {
  const answer = await modernRequest(hub, 'tools/call', { name: 'read_output', arguments: { session, since: 0 } })
  const [block] = z.object({ content: z.array(z.object({ text: z.string() })) }).parse(answer).content
  const { data = '' } = z.object({ data: z.string().optional() }).parse(JSON.parse(block!.text))
  return data
}

async function signalbox(...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [bundled('signalbox'), ...args])
}

const issued = z.object({ id: z.string(), token: z.string() })
const savedPolicy = z.object({ version: z.number() })
const eventPage = z.object({ events: z.array(z.object({ seq: z.number(), id: z.string() })) })
const sessionPage = z.object({ sessions: z.array(z.object({ name: z.string(), status: z.string() })) })
const approvalPage = z.object({
  approvals: z.array(z.object({ id: z.string(), status: z.string(), decided_at: z.string().optional() })),
})
