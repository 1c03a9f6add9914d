/** Agents and upstreams choose names, reasons and texts. The CLI must not let any of them control the person's terminal. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import { hostile, startHostileProxy } from './fixtures/hostile-proxy.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import type { Endpoint } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'

const stack = new AsyncDisposableStack()
let home: string
let hub: HubProcess
let agent: Endpoint
let proxy: { readonly url: string }
beforeAll(async () => {
  home = stack.use(await createTempHome()).path
  hub = stack.use(await startHubProcess({ home }))
  proxy = stack.use(await startHostileProxy(hub.url))
  const wait = { for: 'text', value: 'shown' }
  await callTool(hub, 'create_session', { name: 'fix', command: 'echo shown; cat', tools: ['send_text'], wait })
  await callTool(hub, 'save_connector', {
    name: 'up',
    transport: 'stdio',
    cmd: 'sh',
    args: ['-c', 'exit 3'],
  })
  await callTool(hub, 'bind_connector', { session: 'fix', connector: 'up' })
  await callTool(hub, 'enqueue_one_off', { command: 'true', name: 'job' })
  const issued = await callTool(hub, 'issue_token', { role: 'agent', session: 'fix', label: 'mine' })
  agent = { url: hub.url, token: String(issued['token']) }
  await callTool(agent, 'policy_propose', { rules: '- allow: x_*', why: 'because' })
})
afterAll(() => stack.disposeAsync())

const display = { columns: 200, rows: 50, hasColours: true }
/** Our own colours. `[8m` is not among them, because it hides text. */
const ownColours = new RegExp(`${String.fromCharCode(27)}\\[(?:[0-79]|[1-9]\\d)m`, 'g')
const controls = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u

describe.each([
  ['a pipe', undefined],
  ['a terminal with colours', display],
])('on %s, no control character gets through', (_, shownOn) => {
  test.each([
    ['ls'],
    ['ls', '--all', '--json'],
    ['logs', 'fix'],
    ['screen', 'fix'],
    ['screen', 'fix', '--json'],
    ['templates'],
    ['templates', '--json'],
    ['jobs'],
    ['connectors'],
    ['connectors', 'show', 'up'],
    ['connectors', 'bindings', 'fix'],
    ['connectors', 'test', 'up'],
    ['tools', 'fix'],
    ['token', 'list'],
    ['events'],
    ['events', '--json'],
    ['policy', '--json'],
    ['policy', 'proposals'],
    ['policy', 'check', '--session', 'fix', 'x_y'],
    ['call', 'list_sessions'],
    ['call', 'no_such_tool'],
    ['call', 'get_session', '{"name": "nobody"}'],
    ['approvals', 'approve', 'a1'],
  ])('from signalbox %s %s %s %s', async (...words) => {
    expectClean(words, await hostileCli(words, shownOn))
  })

  test.each(['deny', 'abort', 'approve'])('from signalbox approvals show, ls and %s', async (verb) => {
    const call = callTool(agent, 'terminal_send_text', { text: hostile })
    call.catch(() => {})
    const id = await vi.waitFor(async () => {
      const { approvals } = (await callTool(hub, 'list_approvals')) as unknown as { approvals: Approval[] }
      expect(approvals).not.toEqual([])
      return String(approvals[0]?.id)
    }, 60_000)
    for (const words of [['ls'], ['wait', 'fix', '--for', 'waiting'], ['approvals', 'ls'], ['approvals', 'show', id]]) {
      expectClean(words, await hostileCli(words, shownOn))
    }
    const answered = await hostileCli(['approvals', verb, id], shownOn)
    expectClean([verb], answered)
    expect(answered.out).toContain('forged line')
    expect(answered.out).not.toMatch(/^forged line/m)
    expectClean(['ls'], await hostileCli(['approvals', 'ls', '--all'], shownOn))
    await call.catch(() => {})
  })

  test('from signalbox kill', async () => {
    const { name } = await callTool(hub, 'create_session', { name: 'gone', command: 'cat' })
    expectClean(['kill'], await hostileCli(['kill', String(name)], shownOn))
  })
})

test('the hub removes control characters from reports and descriptions', async () => {
  const { approvals } = (await callTool(hub, 'list_approvals')) as unknown as { approvals: Approval[] }
  for (const { id } of approvals) await callTool(hub, 'decide_approval', { id, decision: 'deny' })
  await callTool(agent, 'sessions_report_activity', { is: 'waiting', reason: `look${hostile}` })
  await callTool(hub, 'update_session', { name: 'fix', description: `one\ntwo${hostile}`, labels: [`l${hostile}`] })
  const { token: _, ...issued } = await callTool(hub, 'issue_token', { role: 'human', label: `t${hostile}` })
  const session = await vi.waitFor(async () => {
    const found = await callTool(hub, 'get_session', { name: 'fix' })
    expect(found).toMatchObject({ activity: { reason: expect.stringMatching(/^look/) } })
    return found
  }, 60_000)
  expect(session).toMatchObject({ description: expect.stringMatching(/^one\ntwo/), labels: [expect.any(String)] })
  const { tokens } = await callTool(hub, 'list_tokens')
  for (const text of textsIn([session, issued, tokens])) expect(text).not.toMatch(controls)
})

test('only these files write to stdout without escaping', () => {
  const folder = new URL('../src/cli/', import.meta.url).pathname
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const raw = /context\.write|process\.std(?:out|err)|console\./
  expect(files.filter((file) => raw.test(readFileSync(join(folder, file), 'utf8'))).toSorted()).toEqual([
    // The session controls the whole terminal.
    'attach/raw-terminal.ts',
    // A policy goes into a pipe unchanged.
    'policy/policy.ts',
    // The answer comes in pieces, each of them escaped there.
    'repositories/answer-printer.ts',
    // Recordings and pictures are written unchanged.
    'sessions/export.ts',
    // --raw
    'sessions/logs.ts',
    // --watch moves the cursor.
    'sessions/ls.ts',
    'sessions/replay.ts',
    // --ansi
    'sessions/screen.ts',
    'sessions/shot.ts',
    // The question is escaped there.
    'terminal-output/confirm.ts',
    // Both draw only their own signs, on stderr.
    'terminal-output/progress-bar.ts',
    'terminal-output/spinner.ts',
    // The answer of an agent comes in pieces, each of them escaped there.
    'threads/frame-printer.ts',
    // Needs to know whether the token was written, and revokes it otherwise.
    'tokens/token-issue.ts',
  ])
})

async function hostileCli(words: readonly string[], shownOn: typeof display | undefined) {
  const env = { SIGNALBOX_HOME: home, SIGNALBOX_URL: proxy.url, SIGNALBOX_TOKEN: hub.token }
  return runInProcess(words, { env, display: () => shownOn })
}

function expectClean(words: readonly string[], { out, err }: { out: string; err: string }) {
  const printed = `${out}\n${err}`
  expect(printed.replaceAll(ownColours, ''), words.join(' ')).not.toMatch(controls)
  // Otherwise the output had no hostile text, and the test would prove nothing.
  expect(printed, words.join(' ')).toContain('gpj')
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
