/** create_session as a client sees it: one call that starts, types, waits and shows, and errors that say what would work. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { modern } from '../http/modern-request.ts'
import { faultsIn, type OwnHub } from '../http/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from './session-hub.ts'

let hub: OwnHub
beforeAll(
  async () => void (hub = await startSessionHub({ SIGNALBOX_TOKEN: 'sb_human_of_somebody', MY_API_KEY: 'hidden' })),
)
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

test('one call starts, types a prompt, waits and answers with the screen', async () => {
  const command = 'printf "what? "; read -r line; echo "you said: $line"; cat'
  const session = await start(hub, 'greeter', command, {
    prompt: 'Enter -n C-c 🚀',
    wait: { for: 'text', value: 'you said:' },
  })
  expect(session).toMatchObject({ name: 'greeter', status: 'running', met: true, prompt: { delivered: true } })
  expect((session as unknown as { screen: string }).screen).toContain('you said: Enter -n C-c 🚀')
})

test('the name that older clients know is answered, and not listed', async () => {
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

test('its program sees a token of its own, and nothing of a person’s', async () => {
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
  ).toEqual(['SIGNALBOX_TOKEN', 'SIGNALBOX_URL'])
})

test.each([
  ['an unknown template', { template: 'emacs' }, /emacs.*shell/],
  ['a program that is not installed', { command: 'no-such-program', args: [] }, /no-such-program/],
  ['a directory that is missing', { command: 'cat', working_dir: '/no/such/place' }, /working_dir.*no\/such\/place/],
  ['a directory that depends on where one stands', { command: 'cat', working_dir: 'here' }, /absolute/],
  ['a name that is none', { command: 'cat', name: 'My Session' }, /small letters, digits and dashes/],
  ['a tool that is none', { command: 'cat', tools: ['read_minds'] }, /read_screen/],
  ['a wait for no text in particular', { command: 'cat', wait: { for: 'text' } }, /"value": say which text/],
  ['a wait for a pattern that is none', { command: 'cat', wait: { for: 'regex', value: '(' } }, /RE2/],
  ['a wait for the end with a value', { command: 'cat', wait: { for: 'exit', value: '0' } }, /leave it out/],
  ['a size that is none', { command: 'cat', size: { cols: 0, rows: 24 } }, /size/],
])('%s is refused with a sentence that helps, and leaves nothing behind', async (_, args, sentence) => {
  expect(await failureOf(hub, 'create_session', { name: 'refused', ...args })).toMatch(sentence)
  expect(await failureOf(hub, 'get_session', { name: 'refused' })).toMatch(/list_sessions/)
})

test('who works where a file of the template would have to replace their own is told, and keeps it', async () => {
  const workspace = temporaryDirectory()
  const settings = join(workspace, '.gemini/settings.json')
  mkdirSync(join(workspace, '.gemini'))
  writeFileSync(settings, '{"theme":"mine"}')
  const asked = { template: 'gemini', working_dir: workspace }
  const { last_message } = await start(hub, 'own-settings', 'cat', asked)
  expect(last_message).toBe(
    'The workspace keeps its own .gemini/settings.json: the session goes without what the template "gemini" would have put there.',
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

test('two at once that want one name do not both get it', async () => {
  const both = await Promise.allSettled([start(hub, 'twins', 'cat'), start(hub, 'twins', 'cat')])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a prompt that its program does not take is told, and the session stays', async () => {
  const session = await start(hub, 'deaf', 'stty -echo; printf ready; sleep 1000', { prompt: 'do you hear me?' })
  expect(session).toMatchObject({ status: 'running', prompt: { delivered: false, reason: expect.any(String) } })
  expect((await sessionOf(hub, 'deaf')).last_message).toMatch(/prompt was not delivered/)
})
