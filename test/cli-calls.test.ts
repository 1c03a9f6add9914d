/** The commands about tools, calls, traces and events, against a real hub with an upstream and an agent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { CliOutcome } from './fixtures/run-cli.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { until } from './fixtures/until.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

let home: TempHome
let hub: HubProcess
let token: string
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
  await callTool(hub, 'create_session', { name: 'worker', command: 'cat', args: [] })
  token = String((await callTool(hub, 'issue_token', { role: 'agent', session: 'worker' }))['token'])
  const program = fileURLToPath(new URL('worlds/stdio-upstream.ts', import.meta.url))
  const args = [program, join(home.path, 'journal'), join(home.path, 'lists')]
  await callTool(hub, 'save_connector', { name: 'up', transport: 'stdio', cmd: process.execPath, args })
  await callTool(hub, 'bind_connector', { session: 'worker', connector: 'up' })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})
beforeEach(() => setPolicy('default: ask'))

describe('signalbox tools', () => {
  test('lists the tools of the agent with their mounts and the decision of the policy', async () => {
    await setPolicy(
      'default: ask',
      'rules:',
      '  - allow: policy_*',
      '  - deny: policy_propose',
      '  - abort: up_*',
      '    when: { properties: { force: { const: true } }, required: [force] }',
    )
    const out = await toolsOf('worker', 'up_script')
    expect(out).toMatch(/^tool +mount +policy +does$/m)
    expect(out).toMatch(/^policy_read +policy +allow +The policy your calls are decided by/m)
    expect(out).toMatch(/^policy_propose +policy +deny /m)
    expect(out).toMatch(/^sessions_list +sessions +ask /m)
    expect(out).toMatch(/^up_script +up +depends$/m)
  })

  test('shows the name of a renamed tool in rules, and names a mount that is missing', async () => {
    const lists = { tools: [{ name: 'Get-It', description: 'Gets it. Not more.', inputSchema: { type: 'object' } }] }
    await callTool(hub, 'create_session', { name: 'other', command: 'cat', args: [] })
    const program = fileURLToPath(new URL('worlds/stdio-upstream.ts', import.meta.url))
    const listsFile = join(home.path, 'others')
    writeFileSync(listsFile, JSON.stringify(lists))
    const stdio = { transport: 'stdio', cmd: process.execPath }
    await callTool(hub, 'save_connector', { name: 'odd', ...stdio, args: [program, join(home.path, 'odd'), listsFile] })
    await callTool(hub, 'save_connector', { name: 'gone', ...stdio, args: ['-e', 'process.exit(3)'] })
    for (const connector of ['odd', 'gone']) await callTool(hub, 'bind_connector', { session: 'other', connector })
    const out = await toolsOf('other', 'odd_get_it', 'exit code 3')
    expect(out).toMatch(/^odd_get_it +odd +ask +odd_Get-It +Gets it\.$/m)
    expect(out).toMatch(/^gone is missing: .*exit code 3/m)
    const { tools } = JSON.parse((await signalbox('tools', 'other', '--json')).out) as { tools: object[] }
    expect(tools).toContainEqual({
      name: 'odd_get_it',
      mount: 'odd',
      original: 'Get-It',
      description: 'Gets it. Not more.',
      policy: 'ask',
    })
  })

  test('reports a session that has ended or never existed', async () => {
    await callTool(hub, 'create_session', { name: 'ended', command: 'true', args: [] })
    const { code, err } = await until(async () => {
      const shown = await signalbox('tools', 'ended')
      return shown.code !== 0 && shown
    })
    expect({ code, err }).toMatchObject({ code: 5, err: expect.stringContaining('"ended" has ended') })
    expect(await signalbox('tools', 'nobody')).toMatchObject({ code: 5, err: expect.stringContaining('nobody') })
  })
})

describe('signalbox tools --management', () => {
  test('lists the tools that a person can call, with their first sentence', async () => {
    const { code, out } = await signalbox('tools', '--management')
    expect(code).toBe(0)
    expect(out).toMatch(/^tool +does\n/)
    expect(out).toMatch(/^get_session_url +The link where a person follows a session live\.$/m)
    expect(out).toMatch(/^toggle_module +\S/m)
  })
})

describe('a call that needs an approval', () => {
  test('says which approval it waits for, once, and runs when a person approves it', async () => {
    const call = agentCalls('sessions_list')
    const { id } = await pending()
    await signalbox('approvals', 'approve', id)
    const { code, err } = await call
    expect(code).toBe(0)
    expect(err).toBe(`signalbox: the call waits for approval ${id}. "signalbox approvals show ${id}" shows it.`)
  })

  test('is picked up again at a hub that does not hold calls', async () => {
    await using ownHome = await createTempHome()
    await using impatient = await startHubProcess({ home: ownHome.path, env: { SIGNALBOX_APPROVAL_HOLD: '0' } })
    await callTool(impatient, 'create_session', { name: 'worker', command: 'cat', args: [] })
    await callTool(impatient, 'set_policy', { scope: 'hub', source: 'default: ask' })
    const issued = await callTool(impatient, 'issue_token', { role: 'agent', session: 'worker' })
    const env = { SIGNALBOX_URL: impatient.url, SIGNALBOX_TOKEN: String(issued['token']) }
    const call = runInProcess(['call', 'sessions_list'], { env })
    const [{ id }] = await until(async () => {
      const { approvals } = await callTool(impatient, 'list_approvals', {})
      return (approvals as [Approval]).length > 0 && (approvals as [Approval])
    })
    await callTool(impatient, 'decide_approval', { id, decision: 'approve' })
    expect(await call).toMatchObject({ code: 0 })
  })

  test('is cancelled after --timeout, even though the approval can still be answered', async () => {
    const { code, err } = await agentCalls('sessions_list', '--timeout', '2')
    expect(code).toBe(1)
    expect(err).toContain('had no answer after 2 s and was cancelled')
  })
})

describe('a call that is refused', () => {
  test.each(['deny', 'abort'])('exits with 9 if a rule says %s', async (effect) => {
    await setPolicy('rules:', `  - ${effect}: sessions_list`, '    reason: not today')
    const { code, err } = await agentCalls('sessions_list')
    expect(code).toBe(9)
    expect(err).toMatch(/^signalbox: The policy .*sessions_list: not today/)
  })

  test('exits with 9 if a person refuses it', async () => {
    const call = agentCalls('sessions_list')
    await signalbox('approvals', 'deny', (await pending()).id, '--reason', 'no')
    expect(await call).toMatchObject({ code: 9, err: expect.stringContaining('A person denied sessions_list: no') })
  })

  test('has another exit code than a call of an unknown tool', async () => {
    expect(await agentCalls('nonsense')).toMatchObject({ code: 1, err: expect.stringContaining('Unknown tool') })
  })
})

describe('signalbox trace', () => {
  test('finds a call by its approval as well as by its correlation', async () => {
    const call = agentCalls('sessions_list')
    const { id, correlation } = await pending()
    await signalbox('approvals', 'approve', id)
    expect(await call).toMatchObject({ code: 0 })
    const { out } = await signalbox('trace', id)
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^└─ \+0 ms {2}tool-called {2}tool=sessions_list .*effect=ask/),
      expect.stringContaining(`├─ +`),
      expect.stringMatching(/approval-decided {2}status=approved {2}by=/),
      expect.stringMatching(/approval-consumed$/),
      expect.stringMatching(/tool-answered {2}ms=.* {2}outcome=ok/),
    ])
    expect((await signalbox('trace', correlation)).out).toBe(out)
  })

  test('reports an id that is neither', async () => {
    const { code, err } = await signalbox('trace', 'nothing')
    expect(code).toBe(5)
    expect(err).toContain('the log has no event of "nothing"')
  })
})

describe('signalbox events', () => {
  test('lists the newest first, and continues from a cursor', async () => {
    for (const name of ['policy_read', 'policy_check', 'sessions_list']) {
      await setPolicy(`rules: [{ deny: '*', reason: ${name} }]`)
      expect(await agentCalls(name)).toMatchObject({ code: 9 })
    }
    const only = ['--session', 'worker', '--type', 'tool-called', '-n', '2']
    const first = await signalbox('events', ...only)
    expect(toolsIn(first.out)).toEqual(['sessions_list', 'policy_check'])
    expect(first.out).toMatch(
      /^at +session +event +trace +says\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +worker +tool-called +[0-9a-f]{32} +tool=/,
    )
    const cursor = /--cursor (\d+)/.exec(first.err)?.[1] ?? ''
    expect(toolsIn((await signalbox('events', ...only, '--cursor', cursor)).out)[0]).toBe('policy_read')
    const oldest = await signalbox('events', '--oldest-first', '-n', '1', '--json')
    expect(JSON.parse(oldest.out)).toMatchObject({ events: [{ seq: 1 }] })
  })

  test('takes a time, or how long ago it was', async () => {
    const latest = ['--type', 'session-started', '-n', '1', '--since']
    const ago = await signalbox('events', ...latest, '1h')
    expect(ago).toMatchObject({ code: 0, out: expect.stringContaining('session-started') })
    expect((await signalbox('events', ...latest, '2020-01-31')).out).toBe(ago.out)
    expect((await signalbox('events', ...latest, '2999-01-31T08:00:00Z')).out).toBe('There are no such events.')
    expect((await signalbox('events', '--until', '2020-01-31')).out).toBe('There are no such events.')
  })

  test('takes the trace, the thread and the route of events', async () => {
    const { out } = await signalbox('events', '--type', 'tool-called', '-n', '1', '--json')
    const [call] = JSON.parse(out).events
    const sameTrace = JSON.parse((await signalbox('events', '--trace', call.correlation, '--json')).out).events
    expect(sameTrace).toContainEqual(call)
    expect(new Set(sameTrace.map((event: typeof call) => event.correlation))).toEqual(new Set([call.correlation]))
    for (const filter of ['--thread', '--route']) {
      expect((await signalbox('events', filter, 'none')).out).toBe('There are no such events.')
    }
  })

  test('explains errors in the command line', async () => {
    expect(await signalbox('events', '-n', 'many')).toMatchObject({ code: 2, err: expect.stringContaining('--limit') })
    expect(await signalbox('events', '--since', 'then')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--since takes a time such as'),
    })
    expect((await signalbox('events', '--type', 'nonsense')).out).toBe('There are no such events.')
  })
})

/** Repeats the command until its output has all these parts. */
function toolsOf(session: string, ...awaited: readonly string[]): Promise<string> {
  return until(async () => {
    const { out } = await signalbox('tools', session)
    return awaited.every((text) => out.includes(text)) && out
  })
}

function toolsIn(list: string): readonly unknown[] {
  return [...list.matchAll(/ tool=(\S+)/g)].map(([, tool]) => tool)
}

function setPolicy(...lines: readonly string[]): Promise<unknown> {
  return callTool(hub, 'set_policy', { source: lines.join('\n') })
}

function pending(): Promise<Approval> {
  return until(async () => {
    const { approvals } = await callTool(hub, 'list_approvals', { status: 'pending' })
    return (approvals as Approval[])[0]
  })
}

function signalbox(...argv: readonly string[]): Promise<CliOutcome> {
  return runInProcess(argv, { env: { SIGNALBOX_HOME: home.path } })
}

function agentCalls(...argv: readonly string[]): Promise<CliOutcome> {
  return runInProcess(['call', ...argv], { env: { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: token } })
}
