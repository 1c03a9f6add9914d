/** A hub on a system that forbids user namespaces, so that bubblewrap does not work. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { requires } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { startOwnHub } from './worlds/own-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

const { describe } = requires('bwrap')

/** A user namespace that allows no others inside. Where the system forbids them itself, nothing is needed. */
const userNamespace = ['unshare', '--user', '--map-root-user']
const canUnshare = spawnSync('unshare', [...userNamespace.slice(1), 'true']).status === 0
const limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'
const forbidding = canUnshare ? [...userNamespace, 'sh', '-c', limit] : []

describe('where user namespaces are forbidden', () => {
  const claude = { name: 'agent', template: 'claude' }
  const named = { name: 'named', command: 'cat', sandbox: { network: 'all' } }
  const advice = /user namespaces|AppArmor|container/

  let programs: TempHome
  beforeAll(async () => {
    programs = await createTempHome()
    writeFileSync(join(programs.path, 'claude'), '#!/bin/sh\nexec cat\n', { mode: 0o755 })
  })
  afterAll(() => programs[Symbol.asyncDispose]())

  function startHub(setting: string) {
    const env = { SIGNALBOX_SANDBOX: setting, PATH: `${programs.path}:${process.env['PATH']}` }
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
