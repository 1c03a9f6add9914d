/** The driver for Claude Code, with a program that speaks its protocol, under a hub that is killed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { Session } from '../src/api/session.ts'
import type { Message, Thread } from '../src/api/thread.ts'
import { until } from './fixtures/until.ts'
import { compileCache } from './harness/compile-cache.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

const fixture = fileURLToPath(new URL('fixtures/stream-json-agent.ts', import.meta.url))

/** The templates: one that is governed by its hooks, and two without hooks. */
const templates = {
  agent: { args: [] },
  bare: { args: ['bare'] },
  strict: { args: ['bare'], own_tools: 'required' },
}

let opened: AsyncDisposableStack
let notes: string
let home: string
let hub: HubProcess
beforeAll(async () => {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await createTempHome())
  notes = join(place.path, 'notes')
  writeFileSync(notes, '')
  home = join(place.path, 'hub')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const common = { agent: 'claude', driver: 'claude', mode: 'structured', command: process.execPath, env: compileCache }
  for (const [name, { args, ...more }] of Object.entries(templates)) {
    const template = { name, ...common, args: [fixture, notes, ...args], ...more }
    writeFileSync(join(home, `templates/${name}.json`), JSON.stringify(template))
  }
  hub = await startHubProcess({ home })
  stack.defer(() => hub[Symbol.asyncDispose]())
  opened = stack.move()
})
afterAll(() => opened.disposeAsync())

async function killHub(): Promise<void> {
  await hub.end('SIGKILL')
  hub = await startHubProcess({ home })
}

async function start(name: string, template: keyof typeof templates = 'agent') {
  const call = (tool: string, input: object) => callTool(hub, tool, { ...input })
  await call('create_session', { name, template })
  return {
    look: async () => (await call('get_session', { name })) as unknown as Session,
    thread: async () => (await call('read_thread', { session: name })) as unknown as Thread,
    prompt: (text: string, more: object = {}) => call('prompt_session', { session: name, text, ...more }),
    pending: async () => (await call('list_approvals', { session: name }))['approvals'] as Approval[],
    approve: (id: string) => call('decide_approval', { id, decision: 'approve' }),
  }
}

function textOf({ role, content, tool_calls: calls = [] }: Message): string {
  return [role, ...content.map(({ text }) => text), ...calls.map((call) => String(call.arguments['command']))].join(' ')
}

test('a hub that is killed again and again loses nothing, repeats nothing and leaves nothing unanswered', async () => {
  const session = await start('killed')
  const commands = Array.from({ length: 8 }, (_, index) => `${index % 4 === 3 ? 'ask' : 'run'} ${index}`)
  const text = ['begin', ...commands.map((command) => `RUN ${command}`)].join('\n')
  await session.prompt(text, { wait: false })
  const asked = new Set<unknown>()
  for (;;) {
    const open = await until(async () => {
      const [first] = await session.pending()
      return first ?? ((await session.look()).activity.is === 'idle' && 'none')
    })
    if (open === 'none') break
    const { command } = open.arguments
    const isNew = !asked.has(command)
    asked.add(command)
    if (isNew) await killHub()
    // The next hub asks the same question.
    const again = await until(async () => (await session.pending()).find(({ waiting }) => waiting))
    expect(again).toMatchObject({ id: open.id, arguments: { command, cwd: '/work' } })
    await session.approve(again.id)
    // If the hub is killed before it could pass the answer on, it asks once more.
    if (isNew && command === 'ask 7') await killHub()
  }
  expect([...asked]).toEqual(['ask 3', 'ask 7'])
  expect(readFileSync(notes, 'utf8').trim().split('\n')).toEqual(commands)
  const { messages, events, usage } = await session.thread()
  expect(messages.map(textOf)).toEqual([
    `user ${text}`,
    ...commands.flatMap((command) => [`assistant ${command}`, `tool ran ${command}`]),
    'assistant answer to begin',
  ])
  expect(events.filter(({ type }) => type === 'complete')).toHaveLength(1)
  expect(usage).toEqual({ input_tokens: 10, output_tokens: 5, cost_usd: 0.5 })
  expect((await session.look()).governed).toEqual({ is: 'yes' })
})

test('a turn that ends while no hub runs is in the thread of the next hub', async () => {
  const session = await start('held')
  await session.prompt('first\nHOLD', { wait: false })
  await until(async () => (await session.look()).governed?.is === 'yes')
  await killHub()
  expect((await session.look()).activity.is).toBe('working')
  writeFileSync(`${notes}.go`, '')
  // The second prompt waits for the first turn.
  expect(await session.prompt('second')).toMatchObject({ status: 'completed' })
  await until(async () => (await session.thread()).messages.length === 4)
  expect((await session.thread()).messages.map(textOf)).toEqual([
    'user first\nHOLD',
    'assistant answer to first',
    'user second',
    'assistant answer to second',
  ])
  expect((await session.thread()).usage.cost_usd).toBe(1)
  rmSync(`${notes}.go`)
})

test('a crash in mid-turn ends the turn with the last words of the program', async () => {
  const session = await start('crashing')
  expect(await session.prompt('CRASH')).toMatchObject({
    status: 'failed',
    reason: 'Claude Code ended with exit code 3. the fixture has crashed',
  })
  await until(async () => (await session.look()).status === 'failed')
  expect((await session.look()).last_message).toContain('the fixture has crashed')
})

test('without hooks the session says that it is not governed', async () => {
  const session = await start('ungoverned', 'bare')
  expect((await session.look()).governed).toMatchObject({ is: 'no' })
  await session.prompt('hello')
  expect((await session.look()).governed).toMatchObject({ is: 'no', reason: expect.stringContaining('runs no hooks') })
})

test('without hooks a session that must be governed is stopped', async () => {
  const session = await start('stopped', 'strict')
  await session.prompt('hello\nHOLD', { wait: false })
  await until(async () => (await session.look()).status === 'failed')
  expect((await session.look()).last_message).toContain('runs no hooks')
})
