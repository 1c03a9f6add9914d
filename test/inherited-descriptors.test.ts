/**
 * A hub that inherits open directories, from a shell (`exec 200<dir`) or the terminal of an editor. The programs that it
 * starts must not get them: through an open directory, a program in a sandbox reads what the sandbox hides.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernRequest } from './harness/modern-call.ts'
import { requires } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { fixtureHub, shippedHub } from './worlds/hub-process.ts'
import { hubUsers } from './worlds/hub-users.ts'
import { type OwnHub, patience, startOwnHub } from './worlds/own-hub.ts'

const bwrap = requires('bwrap')
/** Node itself keeps only low numbers from its programs. */
const opening = 'exec 40<"$0" 200<"$0" && exec "$@"'
const attack = 'cat /proc/self/fd/*/canary'
const kept = expect.not.stringContaining('FOUND')

describe.each(hubUsers())('a hub of $who that inherits open directories', ({ within }) => {
  let home: TempHome
  let hub: OwnHub
  let secrets: string
  beforeAll(async () => {
    home = await createTempHome()
    secrets = join(home.path, 'secrets')
    await mkdir(secrets)
    writeFileSync(join(secrets, 'canary'), 'FOUND\n')
    hub = await startOwnHub({
      program: shippedHub,
      within: [...within, 'bash', '-c', opening, secrets],
      env: { HOME: home.path, SIGNALBOX_SANDBOX: 'preferred' },
    })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  test('keeps them from a program in a terminal', async () => {
    expect(await saidBy(hub, 'terminal')).toEqual(kept)
  })

  test('keeps them from a program on pipes', async () => {
    const said = join(home.path, 'said-on-pipes')
    const command = 'sh'
    const payload = {
      name: 'piped',
      driver: 'acp',
      command,
      args: ['-c', `${attack} > ${said} 2>&1; echo . >> ${said}`],
    }
    await hub.call('save_template', { payload })
    await hub.call('create_session', { name: 'piped', template: 'piped' }).catch(() => {}) // it speaks no ACP
    await expect.poll(() => existsSync(said) && readFileSync(said, 'utf8'), patience).toMatch(/\.\n$/)
    expect(readFileSync(said, 'utf8')).toEqual(kept)
  })

  test('keeps them from a connector', async () => {
    const program = fileURLToPath(new URL('fixtures/shell-upstream.ts', import.meta.url))
    await hub.call('set_policy', { scope: 'hub', source: 'default: allow' })
    await hub.call('save_connector', { name: 'shell', transport: 'stdio', cmd: process.execPath, args: [program] })
    await hub.call('create_session', { name: 'caller', command: 'cat' })
    await hub.call('bind_connector', { session: 'caller', connector: 'shell', label: 'shell' })
    const { token } = await hub.call('issue_token', { role: 'agent', session: 'caller' })
    const call = { name: 'shell_run', arguments: { script: attack } }
    const { content } = await modernRequest({ url: hub.url, token: String(token) }, 'tools/call', call)
    expect((content as readonly { text: string }[])[0]!.text).toEqual(kept)
  })

  bwrap.describe('with bubblewrap', () => {
    test('keeps them from a confined program', async () => {
      expect(await saidBy(hub, 'confined', { sandbox: { network: 'none' } })).toEqual(kept)
    })
  })
})

test('a holder closes what the program that embeds the hub has open', async () => {
  await using home = await createTempHome()
  writeFileSync(join(home.path, 'canary'), 'FOUND\n')
  await using hub = await startOwnHub({ program: fixtureHub, within: ['bash', '-c', opening, home.path] })
  expect(await saidBy(hub, 'embedded')).toEqual(kept)
})

/** What a shell line of a new session says. */
async function saidBy(hub: OwnHub, name: string, more: object = {}): Promise<string> {
  const command = `${attack} > said 2>&1; echo 1 > done; cat`
  const { workspace_path: workspace } = await hub.call('create_session', { name, command, ...more })
  await expect.poll(() => existsSync(join(String(workspace), 'done')), patience).toBe(true)
  return readFileSync(join(String(workspace), 'said'), 'utf8')
}
