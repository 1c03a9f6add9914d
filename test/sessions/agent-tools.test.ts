/** What the agent of a session may do with its own terminal: what was switched on, while its session lives. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalToolNames } from '../../src/api/terminal-tools.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { type OwnHub, patience } from '../http/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from './session-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(() => hub[Symbol.asyncDispose]())

test('none of the terminal tools is there until it is switched on, and then that one alone', async () => {
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

test('a call that waits while its tool is switched off is answered like one that comes after', async () => {
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

test('its agent is told in both eras, and no other agent is', async () => {
  const token = await startAgent('told', ['read_screen'])
  const otherToken = await startAgent('bystander')
  const wish = { notifications: { toolsListChanged: true } }
  using stream = await modernStream(hub, 'subscriptions/listen', wish, { token })
  using other = await modernStream(hub, 'subscriptions/listen', wish, { token: otherToken })
  await stream.message()
  await other.message()
  const legacy = await connectLegacy(hub, { token })
  using notices = await legacy.listen()

  await hub.call('update_session', { name: 'told', tools: ['send_text'] })
  const told = { method: 'notifications/tools/list_changed' }
  expect(await stream.message()).toMatchObject(told)
  expect(await notices.message()).toMatchObject(told)
  // One of its own, so that what went before has come.
  await hub.call('update_session', { name: 'bystander', tools: ['read_screen'] })
  await other.message()
  expect(other.messages).toHaveLength(2)
})

test('it reaches its own terminal, and there is no way to name another', async () => {
  await start(hub, 'victim', 'echo private; cat', { wait: { for: 'text', value: 'private' } })
  const token = await startAgent('curious', ['all'])
  const own = await call(token, 'terminal_get_pty_info')
  expect(own).toMatchObject({ result: { structuredContent: { running: true } } })
  expect(await call(token, 'terminal_read_screen', { session: 'victim' })).toMatchObject({ result: { isError: true } })
  expect(await call(token, 'read_screen', { session: 'victim' })).toMatchObject({ error: { code: -32602 } })
  expect(await call(token, 'create_session', { name: 'mine' })).toMatchObject({ error: { code: -32602 } })
})

test('what is switched on outlives the hub, and so does the token', async () => {
  const token = await startAgent('lasting', ['read_screen', 'wait_for'])
  await hub.restart('SIGKILL')
  expect(await terminalTools(token)).toEqual(['terminal_read_screen', 'terminal_wait_for'])
  expect(await call(token, 'terminal_read_screen')).toMatchObject({ result: { structuredContent: { rows: 40 } } })
})

test('when its session is over its token opens nothing', async () => {
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

test('a name that is no terminal tool cannot be switched on', async () => {
  await start(hub, 'strict', 'cat')
  expect(await failureOf(hub, 'update_session', { name: 'strict', tools: ['read_mail'] })).toMatch(/read_screen/)
})

/** Starts a session and answers with the token that its program got. */
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
