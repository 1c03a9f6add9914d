/** The environment of a session's program. The hub has the credentials of connectors and no locale. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { start, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(async () => {
  const locale = { LANG: '', LC_ALL: '', LC_CTYPE: '' }
  hub = await startSessionHub({
    ...locale,
    WEATHER: 'w-4711',
    TIDES: 't-4711',
    MOON: 'm-4711',
    SUN: 's-4711',
    OPEN: 'yes',
  })
})
afterAll(() => hub[Symbol.asyncDispose]())

async function contentOf(file: string): Promise<string> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), patience).toBe(true)
  return readFileSync(file, 'utf8')
}

async function environmentOf(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { workspace_path } = await start(hub, name, 'env > seen; cat', more)
  return contentOf(join(workspace_path, 'seen'))
}

test('a program does not get the variables of connectors, unless its template names them', async () => {
  expect(await environmentOf('before')).toMatch(/^WEATHER=w-4711$/m)
  const address = 'http://127.0.0.1:9/mcp'
  const headers = { Authorization: 'Bearer ${WEATHER}' }
  await hub.call('save_connector', { name: 'weather', transport: 'http', base_url: address, headers })
  await hub.call('save_connector', { name: 'tides', transport: 'stdio', cmd: 'cat', env_keys: ['TIDES'] })
  const overrides = { headers: { 'X-Moon': '${MOON:-none}' } }
  await hub.call('bind_connector', { session: 'before', connector: 'weather', overrides })

  const after = await environmentOf('after')
  expect(after).not.toMatch(/WEATHER|TIDES|MOON/)
  expect(after).toMatch(/^SUN=s-4711$/m)
  expect(after).toMatch(/^OPEN=yes$/m)

  const template = { name: 'forecaster', command: 'env > seen; cat', env_keys: ['WEATHER'] }
  await hub.call('save_template', { payload: template })
  const session = await hub.call('create_session', { name: 'named', template: 'forecaster' })
  const named = await contentOf(join(String(session['workspace_path']), 'seen'))
  expect(named).toMatch(/^WEATHER=w-4711$/m)
  expect(named).not.toMatch(/TIDES|MOON/)
})

test('an umlaut typed into a shell is one character', async () => {
  const { workspace_path } = await start(hub, 'typed', 'PS1="ready> " exec bash --noprofile --norc')
  await hub.call('wait_for', { session: 'typed', for: 'text', value: 'ready>' })
  await hub.call('send_text', { session: 'typed', text: 'x=ü; echo "$x ${#x} $LANG" > typed\r' })
  expect(await contentOf(join(workspace_path, 'typed'))).toBe('ü 1 C.UTF-8\n')
})
