/** The repository port, answered by the real Codex: its citations are checked, and failures of Codex are reported. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import type { Thread } from '../../src/api/thread.ts'
import { git } from '../fixtures/git-repository.ts'
import { callTool, modernRequest } from '../harness/modern-call.ts'
import { startHubProcess } from '../worlds/hub-process.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const codex = agents.find(({ name }) => name === 'codex')!

const source = [
  '/** How many questions one token may ask at a time. */',
  'export const mostQuestions = 2',
  '',
  'export function admit(running: number): boolean {',
  '  return running < mostQuestions',
  '}',
].join('\n')

interface Answer {
  readonly conversationId: string
  readonly modelId: string
  readonly segments: readonly { readonly type: string; readonly text?: string; readonly files?: readonly object[] }[]
  readonly citations: readonly object[]
  readonly checked: object
  readonly replay?: object
}

describeWith(codex, () => {
  let hub: AgentHub
  let url: string
  beforeAll(async () => {
    hub = await startAgentHub(codex, {
      SIGNALBOX_REPOSITORY_MCP_PORT: '0',
      SIGNALBOX_REPOSITORY_MODEL: 'scripted-answers',
      SIGNALBOX_REPOSITORY_EFFORT: 'low',
    })
    git(hub.workspace, 'init', '--quiet', '--initial-branch=main')
    writeFileSync(join(hub.workspace, 'limits.ts'), source)
    git(hub.workspace, 'add', '.')
    git(hub.workspace, 'commit', '--quiet', '-m', 'first')
    await hub.call('add_repository', { path: hub.workspace, name: 'limits' })
    url = String((await hub.call('hub_status', {}))['repository_url'])
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  const request = (method: string, params: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) =>
    modernRequest({ url, token: hub.process.token }, method, params, signal ? { signal } : {})

  async function query(args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer> {
    const given = { name: 'QueryRepository', arguments: { repository: 'limits', ...args } }
    const { content, isError } = await request('tools/call', given, signal)
    const [{ text }] = content as [{ text: string }]
    if (isError === true) throw new Error(text)
    return JSON.parse(text) as Answer
  }

  test('an answer has its thoughts, its search results, and only citations that are true', async () => {
    const question = [
      'Where is the limit of questions?',
      'THINK it is a constant',
      'CALL repositories_search {"query":"mostQuestions"}',
      'FINAL The limit is 2 (limits.ts:2). It is checked in admit (limits.ts:4-6), not in (nowhere.ts:1-9).',
    ].join('\n')
    const answer = await query({ question })
    expect(answer.segments.map(({ type }) => type)).toEqual(['vector_summary', 'thinking', 'vector_summary', 'answer'])
    expect(answer).toMatchObject({
      modelId: 'scripted-answers',
      checked: { kept: 2, repaired: 0, dropped: 1 },
      citations: [
        { path: 'limits.ts', startLine: 2, endLine: 2, hostPath: join(hub.workspace, 'limits.ts') },
        { path: 'limits.ts', startLine: 4, endLine: 6 },
      ],
    })
    expect(answer.segments.at(-1)?.text).not.toContain('nowhere.ts')
  })

  test('Codex runs with the settings of the port, and changes nothing', async () => {
    const shell = (cmd: string, more: object = {}) => `CALL exec_command ${JSON.stringify({ cmd, ...more })}`
    const patch = '*** Begin Patch\n*** Add File: patched.txt\n+it\n*** End Patch'
    const question = [
      shell('echo it > written.txt'),
      shell('echo it > escalated.txt', { sandbox_permissions: 'require_escalated', justification: 'It is time.' }),
      shell(`apply_patch <<'EOF'\n${patch}\nEOF`),
      'FINAL done',
    ].join('\n')
    await query({ question })
    for (const file of ['written.txt', 'escalated.txt', 'patched.txt']) {
      expect(existsSync(join(hub.workspace, file)), file).toBe(false)
    }
    expect(await hub.call('list_approvals', { status: 'all' })).toEqual({ approvals: [] })
    const settings = { model: 'scripted-answers', effort: 'low', sandbox_policy: { type: 'read-only' } }
    // Codex may still be writing its file.
    await expect.poll(() => contextsIn(hub.home).at(-1), patience).toMatchObject(settings)
  })

  test('a second question goes on in the conversation, also after its session has ended', async () => {
    const first = await query({ question: 'FINAL one' })
    const again = await query({ question: 'FINAL two', conversationId: first.conversationId })
    expect(again.conversationId).toBe(first.conversationId)
    const [session] = await answering()
    expect(session).toMatchObject({ labels: expect.arrayContaining(['repository-answer']) })
    await hub.call('kill_session', { name: session?.name })
    const third = await query({ question: 'FINAL three', conversationId: first.conversationId })
    expect(third.conversationId).toBe(first.conversationId)
    const thread = (await hub.call('read_thread', { thread: first.conversationId })) as unknown as Thread
    const finals = thread.events.flatMap((frame) => (frame.type === 'final' ? [frame.text] : []))
    expect(finals).toEqual(['one', 'two', 'three'])
    expect(hub.model.asked.at(-1)?.earlier.length).toBe(2)
  })

  test('a client that gave up gets the same answer with its replayId, and the work is done once', async () => {
    const question = 'STALL\nFINAL once'
    const asked = { question, replayId: 'try:1' }
    const impatient = new AbortController()
    const gaveUp = query(asked, impatient.signal).catch(() => 'gave up')
    await expect.poll(() => hub.model.stalled, patience).toBe(1)
    impatient.abort()
    expect(await gaveUp).toBe('gave up')
    const again = query(asked)
    await expect(query({ question: 'FINAL another', replayId: 'try:1' })).rejects.toThrow('belongs to another question')
    hub.model.release()
    expect(await again).toMatchObject({ replay: { replayId: 'try:1', status: 'completed' } })
    expect((await query(asked)).segments.at(-1)).toEqual({ type: 'answer', text: 'once' })
    expect(hub.model.asked.filter(({ prompt }) => prompt.includes(question)).length).toBe(1)
  })

  test('Codex that is killed while it answers is unavailable, and its calls reached the thread', async () => {
    const asked = query({ question: 'CALL repositories_search {"query":"admit"}\nSTALL\nFINAL never' })
    asked.catch(() => {})
    await expect.poll(() => hub.model.stalled, patience).toBe(1)
    const [session] = await answering()
    const thread = (await hub.call('read_thread', { session: session?.name })) as unknown as Thread
    expect(thread.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['tool-request', 'tool-result']))
    process.kill(Number(session?.pid), 'SIGKILL')
    await expect(asked).rejects.toThrow(unavailable)
    hub.model.release()
    expect(await request('tools/list')).toMatchObject({
      tools: [{ name: 'ListRepositories' }, { name: 'QueryRepository' }],
    })
  })

  test('Codex works for an agent under the rules of that agent, and without tools of its own', async () => {
    const policy = 'rules: [{ deny: repositories_read, reason: not yours }]'
    await hub.call('create_session', { name: 'asker', template: 'shell', working_dir: hub.workspace, policy })
    const { token } = await hub.call('issue_token', { role: 'agent', session: 'asker' })
    const ask = (question: string) =>
      modernRequest({ url, token: String(token) }, 'tools/call', {
        name: 'QueryRepository',
        arguments: { repository: hub.workspace, question },
      })
    const shell = await ask('CALL exec_command {"cmd":"id"}')
    expect(JSON.stringify(shell)).toContain('There is no tool exec_command')
    await ask('CALL repositories_read {"path":"limits.ts"}\nFINAL read')
    const called = await hub.call('query_events', { type: 'tool-called', limit: 100 })
    const { events } = called as unknown as { events: { payload: { tool: string; decision?: object } }[] }
    const decisionsOn = (tool: string) =>
      events.flatMap(({ payload }) => (payload.tool === tool ? (payload.decision ?? []) : []))
    expect(decisionsOn('repositories_read')).toEqual([
      expect.objectContaining({ effect: 'deny', reason: expect.stringContaining('not yours') }),
    ])
    expect(decisionsOn('repositories_ask')).toContainEqual(expect.objectContaining({ effect: 'allow' }))
    await hub.call('kill_session', { name: 'asker' })
  })

  test('Codex that is missing or not signed in is unavailable; the rest of the port answers', async () => {
    for (const [broken, says] of [
      [{ PATH: '/usr/bin:/bin' }, /is not installed/],
      [{ HOME: join(hub.home, 'nobody'), OPENAI_API_KEY: '' }, /sign in/],
    ] as const) {
      await using other = await startHubProcess({
        home: join(hub.home, `hub-${Object.keys(broken)[0]}`),
        env: { ...hub.env, SIGNALBOX_REPOSITORY_MCP_PORT: '0', ...broken },
      })
      const { repository_url } = await callTool(other, 'hub_status')
      const at = { url: String(repository_url), token: other.token }
      const call = { name: 'ListRepositories', arguments: {} }
      await expect(modernRequest(at, 'tools/list')).rejects.toThrow(unavailable)
      await expect(modernRequest(at, 'tools/call', call)).rejects.toThrow(says)
      expect(await modernRequest(at, 'resources/list')).toMatchObject({ resources: [] })
    }
  })

  async function answering(): Promise<readonly Session[]> {
    const { sessions } = (await hub.call('list_sessions', { label: 'repository-answer' })) as unknown as {
      sessions: Session[]
    }
    return sessions.filter(({ status }) => status === 'running')
  }
})

const patience = { timeout: 60_000 }
const unavailable = /-32001: CODEX_UNAVAILABLE/

/** The settings of all turns, as Codex recorded them. */
function contextsIn(home: string): readonly object[] {
  const folder = join(home, '.codex/sessions')
  const files = globSync('**/rollout-*.jsonl', { cwd: folder })
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
  const records = lines.map((line) => JSON.parse(line) as { timestamp: string; type: string; payload: object })
  return records
    .filter(({ type }) => type === 'turn_context')
    .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
    .map(({ payload }) => payload)
}
