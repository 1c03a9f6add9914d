/** The terminal tools of an agent: only those that are switched on, and only while its session lives. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalToolNames } from '../../src/api/terminal-tools.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(() => hub[Symbol.asyncDispose]())

test('an agent has only the terminal tools that are switched on', async () => {
  const token = await startAgent('switched')
  expect(await terminalTools(token)).toEqual([])
  expect(await call(token, 'terminal_read_screen')).toMatchObject({ error: { code: -32602 } })

  await hub.call('update_session', { name: 'switched', tools: ['read_screen'] })
  expect(await terminalTools(token)).toEqual(['terminal_read_screen'])
  expect(await call(token, 'terminal_read_screen')).toMatchObject({ result: { structuredContent: { rows: 40 } } })
  expect(await call(token, 'terminal_send_text', { text: 'x' })).toMatchObject({ error: { code: -32602 } })

  await hub.call('update_session', { name: 'switched', tools: ['all'] })
  expect(await terminalTools(token)).toEqual(terminalToolNames.map((name) => `terminal_${name}`))
  await hub.call('update_session', { name: 'switched', tools: [] })
  expect(await terminalTools(token)).toEqual([])
  expect(await call(token, 'terminal_read_screen')).toMatchObject({ error: { code: -32602 } })
})

test('a running call whose tool is switched off gets the same error as a later call', async () => {
  const token = await startAgent('waiting', ['wait_for'])
  const waiting = call(token, 'terminal_wait_for', { for: 'exit', timeout_ms: 600_000 })
  const { id } = await sessionOf(hub, 'waiting')
  const recorded = () => hub.call('query_events', { session: id, type: 'tool-called' })
  await expect.poll(recorded, patience).toMatchObject({ events: [{ payload: { tool: 'terminal_wait_for' } }] })
  await hub.call('update_session', { name: 'waiting', tools: [] })
  const after = await call(token, 'terminal_wait_for', { for: 'exit', timeout_ms: 0 })
  expect(after).toMatchObject({ error: { code: -32602 } })
  expect((await waiting) as object).toMatchObject({ error: (after as { error: object }).error })
})

test('a change of tools notifies the agent of the session in both eras, and no other agent', async () => {
  const token = await startAgent('notified', ['read_screen'])
  const otherToken = await startAgent('bystander')
  const filter = { notifications: { toolsListChanged: true } }
  using stream = await modernStream(hub, 'subscriptions/listen', filter, { token })
  using other = await modernStream(hub, 'subscriptions/listen', filter, { token: otherToken })
  await stream.message()
  await other.message()
  const legacy = await connectLegacy(hub, { token })
  using notices = await legacy.listen()

  await hub.call('update_session', { name: 'notified', tools: ['send_text'] })
  const changed = { method: 'notifications/tools/list_changed' }
  expect(await stream.message()).toMatchObject(changed)
  expect(await notices.message()).toMatchObject(changed)
  // When the bystander's own notice has arrived, an earlier one would have arrived too.
  await hub.call('update_session', { name: 'bystander', tools: ['read_screen'] })
  await other.message()
  expect(other.messages).toHaveLength(2)
})

test('an agent reaches its own terminal and cannot name another', async () => {
  await start(hub, 'victim', 'echo private; cat', { wait: { for: 'text', value: 'private' } })
  const token = await startAgent('curious', ['all'])
  const own = await call(token, 'terminal_get_pty_info')
  expect(own).toMatchObject({ result: { structuredContent: { running: true } } })
  expect(await call(token, 'terminal_read_screen', { session: 'victim' })).toMatchObject({ result: { isError: true } })
  expect(await call(token, 'read_screen', { session: 'victim' })).toMatchObject({ error: { code: -32602 } })
  expect(await call(token, 'create_session', { name: 'mine' })).toMatchObject({ error: { code: -32602 } })
})

test('the switched-on tools and the token survive the hub', async () => {
  const token = await startAgent('lasting', ['read_screen', 'wait_for'])
  await hub.restart('SIGKILL')
  expect(await terminalTools(token)).toEqual(['terminal_read_screen', 'terminal_wait_for'])
  expect(await call(token, 'terminal_read_screen')).toMatchObject({ result: { structuredContent: { rows: 40 } } })
})

test('the token of an ended session is refused', async () => {
  const token = await startAgent('mortal', ['read_screen'])
  using stream = await modernStream(
    hub,
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { token },
  )
  await stream.message()
  await hub.call('kill_session', { name: 'mortal' })
  await stream.ended
  const statusOf = async () => (await modern(hub, 'tools/list', {}, { token })).status
  await expect.poll(statusOf, patience).toSatisfy((status: number) => status === 401 || status === 404)
  await hub.restart('SIGTERM')
  expect([401, 404]).toContain(await statusOf())
})

test('an unknown terminal tool cannot be switched on', async () => {
  await start(hub, 'strict', 'cat')
  expect(await failureOf(hub, 'update_session', { name: 'strict', tools: ['read_mail'] })).toMatch(/read_screen/)
})

/** Starts a session and returns the token of its program. */
async function startAgent(name: string, tools?: readonly string[]): Promise<string> {
  const command = 'printf %s "$SIGNALBOX_TOKEN" > token; cat'
  const { workspace_path } = await start(hub, name, command, tools && { tools })
  const read = () => readFileSync(join(workspace_path, 'token'), 'utf8')
  await expect.poll(read, patience).toMatch(/^sb_agent_/)
  return read()
}

async function terminalTools(token: string): Promise<readonly string[]> {
  const { body } = await modern(hub, 'tools/list', {}, { token, query: '?toolsets=all' })
  const { tools } = (body as { result: { tools: readonly { name: string }[] } }).result
  return tools.map(({ name }) => name).filter((name) => name.startsWith('terminal_'))
}

async function call(token: string, name: string, args: object = {}): Promise<unknown> {
  return (await modern(hub, 'tools/call', { name, arguments: args }, { token })).body
}
