/** A hub where bubblewrap does not work: the system forbids user namespaces, or it is not installed. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { startOwnHub } from './worlds/own-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

/** A user namespace that allows no others inside. Where the system forbids them itself, nothing is needed. */
const userNamespace = ['unshare', '--user', '--map-root-user']
const canUnshare = spawnSync('unshare', [...userNamespace.slice(1), 'true']).status === 0
const limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'
const forbidding = canUnshare ? [...userNamespace, 'sh', '-c', limit] : []

describe('where no sandbox can be made', () => {
  const claude = { name: 'agent', template: 'claude' }
  const named = { name: 'named', command: 'cat', sandbox: { network: 'all' } }
  const advice = /user namespaces|AppArmor|container|Install the package "bubblewrap"/

  let programs: TempHome
  beforeAll(async () => {
    programs = await createTempHome()
    writeFileSync(join(programs.path, 'claude'), '#!/bin/sh\nexec cat\n', { mode: 0o755 })
  })
  afterAll(() => programs[Symbol.asyncDispose]())

  function startHub(setting: string, more: Readonly<Record<string, string>> = {}) {
    const env = { ...more, SIGNALBOX_SANDBOX: setting, PATH: `${programs.path}:${process.env['PATH']}` }
    return startOwnHub({ program: shippedHub, within: forbidding, env })
  }

  test('"preferred" starts a shipped template with a visible warning, and refuses a sandbox that a person named', async () => {
    await using hub = await startHub('preferred')
    const session = (await hub.call('create_session', claude)) as unknown as Session
    expect(session.confined).toBeUndefined()
    expect(session.last_message).toMatch(/^It is not confined: it can read your files and your token\./)
    expect(session.last_message).toMatch(advice)
    expect(await failureOf(hub, 'create_session', named)).toMatch(/so it does not start\. /)
    const connector = {
      name: 'confined',
      transport: 'stdio',
      cmd: 'cat',
      options: { sandbox: { network: 'none' } },
    }
    const { ok, error } = await hub.call('test_connector', { connector })
    expect(ok).toBe(false)
    expect(error).toMatch(/"confined" cannot be confined, so it does not start\./)
    expect(error).toMatch(advice)
  })

  test('"preferred" starts the assistant, and a copy of it with another model, with a visible warning', async () => {
    const model = { SIGNALBOX_MODEL: 'openai-compatible/any', SIGNALBOX_MODEL_BASE_URL: 'http://127.0.0.1:1/v1' }
    await using hub = await startHub('preferred', model)
    const assistant = JSON.parse(
      readFileSync(new URL('../templates/assistant.json', import.meta.url), 'utf8'),
    ) as object
    const payload = { ...assistant, name: 'mine', model: { name: 'openai-compatible/other' } }
    await hub.call('save_template', { payload })
    for (const template of ['assistant', 'mine']) {
      const session = (await hub.call('create_session', { name: template, template })) as unknown as Session
      expect(session).toMatchObject({ status: 'running', last_message: expect.stringContaining('It is not confined') })
      expect(session.confined).toBeUndefined()
    }
    const narrower = { ...payload, name: 'narrower', sandbox: { network: 'none' } }
    await hub.call('save_template', { payload: narrower })
    const start = { name: 'narrower', template: 'narrower' }
    expect(await failureOf(hub, 'create_session', start)).toContain('so it does not start.')
  })

  test('"required" starts nothing, and "signalbox doctor" says what to do', async () => {
    await using hub = await startHub('required')
    for (const args of [claude, named]) {
      const failure = await failureOf(hub, 'create_session', args)
      expect(failure).toContain('the session cannot be confined, so it does not start.')
      expect(failure).toMatch(advice)
    }
    expect(await failureOf(hub, 'create_session', { ...claude, sandbox: 'off' })).toContain(
      'SIGNALBOX_SANDBOX=required',
    )
    expect((await hub.call('list_sessions'))['sessions']).toEqual([])
    const [file, ...args] = [...forbidding, process.execPath, ...shippedHub.slice(0, 1), 'doctor']
    const env = { ...process.env, SIGNALBOX_HOME: hub.home, SIGNALBOX_SANDBOX: 'required' }
    const { stdout } = spawnSync(file, args, { env, encoding: 'utf8' })
    expect(stdout).toContain('sandboxes do not work here')
    expect(stdout).toContain('until then no session starts')
  })
})
