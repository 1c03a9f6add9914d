/** The driver for Claude Code, with a program that speaks its protocol, under a hub that is killed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
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

async function open(more: { readonly args?: readonly string[]; readonly own_tools?: string } = {}) {
  const place = await createTempHome()
  const home = join(place.path, 'hub')
  const notes = join(place.path, 'notes')
  writeFileSync(notes, '')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const { args = [], ...rest } = more
  const template = { name: 'agent', agent: 'claude', driver: 'claude', mode: 'structured', command: process.execPath }
  writeFileSync(
    join(home, 'templates/agent.json'),
    JSON.stringify({ ...template, args: [fixture, notes, ...args], env: compileCache, ...rest }),
  )
  let hub: HubProcess = await startHubProcess({ home })
  const call = (tool: string, input: object) => callTool(hub, tool, { ...input })
  const session = async () => (await call('get_session', { name: 'a' })) as unknown as Session
  const read = async () => (await call('read_thread', { session: 'a' })) as unknown as Thread
  return {
    notes,
    call,
    session,
    read,
    ran: () => readFileSync(notes, 'utf8').trim().split('\n'),
    pending: async () => (await call('list_approvals', { session: 'a' }))['approvals'] as Approval[],
    async killHub() {
      await hub.end('SIGKILL')
      hub = await startHubProcess({ home })
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

function textOf({ role, content, tool_calls: calls = [] }: Message): string {
  return [role, ...content.map(({ text }) => text), ...calls.map((call) => String(call.arguments['command']))].join(' ')
}

test('a hub that is killed again and again loses nothing, repeats nothing and leaves nothing unanswered', async () => {
  await using hub = await open()
  await hub.call('create_session', { name: 'a', template: 'agent' })
  const commands = Array.from({ length: 12 }, (_, index) => `${index % 4 === 3 ? 'ask' : 'run'} ${index}`)
  const text = ['begin', ...commands.map((command) => `RUN ${command}`)].join('\n')
  await hub.call('prompt_session', { session: 'a', text, wait: false })
  const asked = new Set<unknown>()
  for (;;) {
    const open = await until(async () => {
      const [first] = await hub.pending()
      return first ?? ((await hub.session()).activity.is === 'idle' && 'none')
    })
    if (open === 'none') break
    const { command } = open.arguments
    const isNew = !asked.has(command)
    asked.add(command)
    if (isNew) await hub.killHub()
    // The next hub asks the same question.
    const again = await until(async () => (await hub.pending()).find(({ waiting }) => waiting))
    expect(again).toMatchObject({ id: open.id, arguments: { command, cwd: '/work' } })
    await hub.call('decide_approval', { id: again.id, decision: 'approve' })
    // If the hub is killed before it could pass the answer on, it asks once more.
    if (isNew && command === 'ask 7') await hub.killHub()
  }
  expect([...asked]).toEqual(['ask 3', 'ask 7', 'ask 11'])
  expect(hub.ran()).toEqual(commands)
  const { messages, events, usage } = await hub.read()
  expect(messages.map(textOf)).toEqual([
    `user ${text}`,
    ...commands.flatMap((command) => [`assistant ${command}`, `tool ran ${command}`]),
    'assistant answer to begin',
  ])
  expect(events.filter(({ type }) => type === 'complete')).toHaveLength(1)
  expect(usage).toEqual({ input_tokens: 10, output_tokens: 5, cost_usd: 0.5 })
  expect((await hub.session()).governed).toEqual({ is: 'yes' })
})

test('a turn that ends while no hub runs is in the thread of the next hub', async () => {
  await using hub = await open()
  await hub.call('create_session', { name: 'a', template: 'agent' })
  await hub.call('prompt_session', { session: 'a', text: 'first\nHOLD', wait: false })
  await until(async () => (await hub.session()).governed?.is === 'yes')
  await hub.killHub()
  expect((await hub.session()).activity.is).toBe('working')
  writeFileSync(`${hub.notes}.go`, '')
  // The second prompt waits for the first turn.
  expect(await hub.call('prompt_session', { session: 'a', text: 'second' })).toMatchObject({ status: 'completed' })
  await until(async () => (await hub.read()).messages.length === 4)
  expect((await hub.read()).messages.map(textOf)).toEqual([
    'user first\nHOLD',
    'assistant answer to first',
    'user second',
    'assistant answer to second',
  ])
  expect((await hub.read()).usage.cost_usd).toBe(1)
})

test('a crash in mid-turn ends the turn with the last words of the program', async () => {
  await using hub = await open()
  await hub.call('create_session', { name: 'a', template: 'agent' })
  expect(await hub.call('prompt_session', { session: 'a', text: 'CRASH' })).toMatchObject({
    status: 'failed',
    reason: 'Claude Code ended with exit code 3. the fixture has crashed',
  })
  await until(async () => (await hub.session()).status === 'failed')
  expect((await hub.session()).last_message).toContain('the fixture has crashed')
})

test('without hooks the session says that it is not governed', async () => {
  await using hub = await open({ args: ['bare'] })
  await hub.call('create_session', { name: 'a', template: 'agent' })
  expect((await hub.session()).governed).toMatchObject({ is: 'no' })
  await hub.call('prompt_session', { session: 'a', text: 'hello' })
  expect((await hub.session()).governed).toMatchObject({ is: 'no', reason: expect.stringContaining('runs no hooks') })
})

test('without hooks a session that must be governed is stopped', async () => {
  await using hub = await open({ args: ['bare'], own_tools: 'required' })
  await hub.call('create_session', { name: 'a', template: 'agent' })
  await hub.call('prompt_session', { session: 'a', text: 'hello\nHOLD', wait: false })
  await until(async () => (await hub.session()).status === 'failed')
  expect((await hub.session()).last_message).toContain('runs no hooks')
})
