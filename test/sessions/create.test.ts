/** create_session as a client sees it: one call starts, types, waits and shows, and errors say what would work. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { modern } from '../http/modern-request.ts'
import { faultsIn, type OwnHub } from '../worlds/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(
  async () => void (hub = await startSessionHub({ SIGNALBOX_TOKEN: 'sb_human_of_somebody', MY_API_KEY: 'hidden' })),
)
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

test('one call starts a session, types a prompt, waits and returns the screen', async () => {
  const command = 'printf "what? "; read -r line; echo "you said: $line"; cat'
  const session = await start(hub, 'greeter', command, {
    prompt: 'Enter -n C-c 🚀',
    wait: { for: 'text', value: 'you said:' },
  })
  expect(session).toMatchObject({ name: 'greeter', status: 'running', met: true, prompt: { delivered: true } })
  expect((session as unknown as { screen: string }).screen).toContain('you said: Enter -n C-c 🚀')
})

test('the old name of the tool still works, and is not listed', async () => {
  const params = { name: 'model.create_session', arguments: { name: 'older', command: 'cat' } }
  const { body } = await modern(hub, 'tools/call', params)
  expect(body).toMatchObject({ result: { structuredContent: { name: 'older', status: 'running' } } })
  const { tools } = ((await modern(hub, 'tools/list', {}, { query: '?toolsets=all' })).body as Listing).result
  expect(tools.map(({ name }) => name)).toContain('create_session')
  expect(tools.filter(({ name }) => name.includes('.'))).toEqual([])
})

interface Listing {
  readonly result: { readonly tools: readonly { readonly name: string }[] }
}

test('the program gets its own token and none of the person’s secrets', async () => {
  const { workspace_path } = await start(hub, 'surroundings', 'env -0 > seen; cat', { env: { GIVEN: 'yes' } })
  const file = join(workspace_path, 'seen')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain('SIGNALBOX_TOKEN=')
  const seen = Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  expect(seen).toMatchObject({ SIGNALBOX_URL: hub.url, GIVEN: 'yes', TERM: 'xterm-256color' })
  expect(seen['SIGNALBOX_TOKEN']).toMatch(/^sb_agent_/)
  const text = JSON.stringify(seen)
  for (const secret of [hub.token, 'sb_human', 'hidden']) expect(text).not.toContain(secret)
  expect(
    Object.keys(seen)
      .filter((name) => name.startsWith('SIGNALBOX_'))
      .toSorted(),
  ).toEqual(['SIGNALBOX_HUB_SOCKET', 'SIGNALBOX_TOKEN', 'SIGNALBOX_URL'])
})

test.each([
  ['an unknown template', { template: 'emacs' }, /emacs.*shell/],
  ['a program that is not installed', { command: 'no-such-program', args: [] }, /no-such-program/],
  ['a missing directory', { command: 'cat', working_dir: '/no/such/place' }, /working_dir.*no\/such\/place/],
  ['a relative directory', { command: 'cat', working_dir: 'here' }, /absolute/],
  ['an invalid name', { command: 'cat', name: 'My Session' }, /lowercase letters, digits and dashes/],
  ['an unknown tool', { command: 'cat', tools: ['read_minds'] }, /read_screen/],
  ['a wait for text without the text', { command: 'cat', wait: { for: 'text' } }, /"value": give the text/],
  ['a wait for an invalid pattern', { command: 'cat', wait: { for: 'regex', value: '(' } }, /RE2/],
  ['a wait for the exit with a value', { command: 'cat', wait: { for: 'exit', value: '0' } }, /leave it out/],
  ['an invalid size', { command: 'cat', size: { cols: 0, rows: 24 } }, /size/],
])('create_session refuses %s with a helpful error and leaves nothing behind', async (_, args, sentence) => {
  expect(await failureOf(hub, 'create_session', { name: 'refused', ...args })).toMatch(sentence)
  expect(await failureOf(hub, 'get_session', { name: 'refused' })).toMatch(/list_sessions/)
})

test('a file of the template does not replace a file of the workspace, and the session says so', async () => {
  const workspace = temporaryDirectory()
  const settings = join(workspace, '.gemini/settings.json')
  mkdirSync(join(workspace, '.gemini'))
  writeFileSync(settings, '{"theme":"mine"}')
  const asked = { template: 'gemini', working_dir: workspace }
  const { last_message } = await start(hub, 'own-settings', 'cat', asked)
  expect(last_message).toBe(
    'The workspace already has .gemini/settings.json. The hub did not replace it with the file of the template "gemini".',
  )
  expect(readFileSync(settings, 'utf8')).toBe('{"theme":"mine"}')
  const { last_message: nothing } = await start(hub, 'no-settings', 'cat', { template: 'gemini' })
  expect(nothing).toBeUndefined()
})

test('a name is taken as long as its session lives', async () => {
  await start(hub, 'unique', 'cat')
  expect(await failureOf(hub, 'create_session', { name: 'unique', command: 'cat' })).toMatch(/unique/)
  await hub.call('kill_session', { name: 'unique' })
  const second = await start(hub, 'unique', 'cat')
  expect(await sessionOf(hub, 'unique')).toMatchObject({ id: second.id, status: 'running' })
})

test('only one of two concurrent calls gets the same name', async () => {
  const both = await Promise.allSettled([start(hub, 'twins', 'cat'), start(hub, 'twins', 'cat')])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a prompt that the program does not take is reported, and the session keeps running', async () => {
  const session = await start(hub, 'deaf', 'stty -echo; printf ready; sleep 1000', { prompt: 'do you hear me?' })
  expect(session).toMatchObject({ status: 'running', prompt: { delivered: false, reason: expect.any(String) } })
  expect((await sessionOf(hub, 'deaf')).last_message).toMatch(/prompt was not delivered/)
})
