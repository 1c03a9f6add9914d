/** A confined session starts the program of a connector outside of its sandbox only after a person has allowed it. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInProcess } from './fixtures/run-cli.ts'
import { callTool, modernRequest } from './harness/modern-call.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { type GatewayHub, overStdio, startGatewayHub } from './worlds/gateway-hub.ts'
import { patience } from './worlds/own-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'socat')

const shell = fileURLToPath(new URL('fixtures/shell-upstream.ts', import.meta.url))
const sandbox = { network: 'none' }
const program = (...args: readonly string[]) => overStdio({ cmd: process.execPath, args: [shell, ...args] })
const waits = /outside of the sandbox. It does not start until a person allows it: signalbox connectors allow outside/

describe.each(['preferred', 'required'])('under SIGNALBOX_SANDBOX=%s', (setting) => {
  let home: TempHome
  let hub: GatewayHub
  let count = 0
  beforeAll(async () => {
    home = await createTempHome()
    hub = await startGatewayHub({ HOME: home.path, SIGNALBOX_SANDBOX: setting })
    const template = { name: 'boxed', command: 'cat', sandbox, connectors: ['outside'] }
    await hub.call('save_template', { payload: template })
    await hub.call('save_template', { payload: { ...template, name: 'bare', connectors: [] } })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  /** A connector that no person has allowed yet. */
  async function fresh(): Promise<void> {
    await hub.call('delete_connector', { name: 'outside' }).catch(() => {})
    await hub.call('save_connector', { name: 'outside', ...program() })
  }

  async function create(template: string, more: object = {}): Promise<string> {
    const name = `s${++count}`
    await hub.call('create_session', { name, template, ...more })
    return name
  }

  /** Whether the agent of the session can make the program of its connector leave a mark outside. */
  async function reaches(session: string): Promise<boolean> {
    const { token } = await hub.call('issue_token', { role: 'agent', session })
    const mark = join(home.path, 'mark')
    rmSync(mark, { force: true })
    const params = { name: 'outside_run', arguments: { script: `echo 1 > ${mark}` } }
    await modernRequest({ url: hub.url, token: String(token) }, 'tools/call', params).catch(() => {})
    return existsSync(mark)
  }

  /** The mounts of a session follow a change a moment later. */
  const untilReaches = (session: string, isReached: boolean) =>
    expect.poll(() => reaches(session), patience).toBe(isReached)

  const consentOf = async () => (await hub.call('get_connector', { name: 'outside' }))['consent']
  const bindingOf = async (session: string) =>
    ((await hub.call('list_bindings', { session }))['bindings'] as readonly Readonly<Record<string, unknown>>[])[0]

  test('a person who binds it allows it, in other sessions too', async () => {
    await fresh()
    const session = await create('bare')
    const planned = await hub.call('bind_connector', { session, connector: 'outside', dry_run: true })
    expect(planned).toMatchObject({ consent: { is: 'wanted' } })
    expect(await consentOf()).toBeUndefined()
    const bound = await hub.call('bind_connector', { session, connector: 'outside' })
    expect(bound).toMatchObject({ consent: { is: 'given', by: expect.any(String), at: expect.any(String) } })
    expect(await consentOf()).toEqual(bound['consent'])
    await untilReaches(session, true)
    expect(await reaches(await create('boxed'))).toBe(true)
  })

  test('a person who names it for a new session allows it', async () => {
    await fresh()
    expect(await reaches(await create('bare', { connectors: ['outside'] }))).toBe(true)
    const { transport, cmd, args } = program() as { transport: string; cmd: string; args: readonly string[] }
    await hub.call('delete_connector', { name: 'outside' })
    const targets = [{ id: 'outside', transport, cmd, args }]
    expect(await reaches(await create('bare', { mcps: { targets } }))).toBe(true)
  })

  test('it is lost when a person takes the consent back, and when its command changes, but not with a time limit', async () => {
    await fresh()
    const session = await create('bare', { connectors: ['outside'] })
    await hub.call('save_connector', { name: 'outside', ...program(), strict: false })
    await untilReaches(session, true)
    await hub.call('allow_connector', { name: 'outside', allowed: false })
    await untilReaches(session, false)
    await hub.call('allow_connector', { name: 'outside' })
    await untilReaches(session, true)
    await hub.call('save_connector', { name: 'outside', ...program('other') })
    expect(await consentOf()).toEqual({ is: 'wanted' })
    await untilReaches(session, false)
    await hub.call('save_connector', {
      name: 'outside',
      ...overStdio({ cmd: process.execPath, args: [shell], env: { NODE_OPTIONS: '--no-warnings' } }),
    })
    await untilReaches(session, false)
  })

  test('what a binding changes in the program is allowed for itself', async () => {
    await fresh()
    const session = await create('bare')
    const overrides = { args: [shell, 'changed'] }
    await hub.call('bind_connector', { session, connector: 'outside', overrides })
    await untilReaches(session, true)
    expect(await consentOf()).toMatchObject({ is: 'given' })
    await hub.call('allow_connector', { name: 'outside', allowed: false })
    await untilReaches(session, false)
    await hub.call('allow_connector', { name: 'outside' })
    await untilReaches(session, true)
    expect(await reaches(await create('boxed'))).toBe(true)
  })

  test('an action gives it to an agent only with consent', async () => {
    await fresh()
    const mark = join(home.path, 'acted')
    const ways = [{ connector: 'outside', tool: 'run', arguments: { script: `echo acted | tee ${mark}` } }]
    await hub.call('set_routes', { action: 'code_advice', ways })
    const { token } = await hub.call('issue_token', { role: 'agent', session: await create('bare') })
    const run = () => callTool({ url: hub.url, token: String(token) }, 'sessions_code_advice', { text: 'x' })
    await expect(run()).rejects.toThrow(waits)
    expect(existsSync(mark)).toBe(false)
    await hub.call('allow_connector', { name: 'outside' })
    expect(await run()).toMatchObject({ answer: expect.stringContaining('acted') })
  })

  test('one that is confined, and one with an address, need no consent', async () => {
    const connector = overStdio({ cmd: process.execPath, args: [shell] }, { sandbox })
    await hub.call('save_connector', { name: 'outside', ...connector })
    const session = await create('boxed')
    expect(await bindingOf(session)).not.toHaveProperty('consent')
    expect(await failureOf(hub, 'allow_connector', { name: 'outside' })).toContain('its program is confined')
    const address = { transport: 'http', base_url: 'http://127.0.0.1:1/mcp' }
    await hub.call('save_connector', { name: 'outside', ...address })
    expect(await bindingOf(session)).not.toHaveProperty('consent')
    expect(await failureOf(hub, 'allow_connector', { name: 'outside' })).toContain('it starts no program')
  })

  test.runIf(setting === 'preferred')('a session of a template starts without it, and says what to do', async () => {
    await fresh()
    const session = await create('boxed')
    expect(await hub.call('get_session', { name: session })).toMatchObject({
      status: 'running',
      last_message: expect.stringMatching(waits),
    })
    expect(await reaches(session)).toBe(false)
    expect(await bindingOf(session)).toMatchObject({ consent: { is: 'wanted' } })
    expect(await consentOf()).toEqual({ is: 'wanted' })
    const { token } = await hub.call('issue_token', { role: 'agent', session })
    const agent = { url: hub.url, token: String(token) }
    await expect(callTool(agent, 'allow_connector', { name: 'outside' })).rejects.toThrow()
    expect(JSON.stringify(await modernRequest(agent, 'tools/list'))).toMatch(waits)
    expect((await signalbox('connectors', 'bindings', session)).out).toContain('signalbox connectors allow outside')
    expect((await signalbox('connectors')).out).toContain('needs your consent')
    expect(await signalbox('connectors', 'allow', 'outside')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Confined sessions can use outside.'),
    })
    await untilReaches(session, true)
    expect((await signalbox('connectors', 'show', 'outside')).out).toContain('runs outside of sandboxes, allowed by')
  })

  test.runIf(setting === 'preferred')('a hub names the sessions that wait for consent when it starts', async () => {
    await fresh()
    const session = await create('boxed')
    await hub.restart('SIGTERM')
    await expect.poll(() => hub.log(), patience).toMatch(waits)
    expect(hub.log()).toContain(session)
    expect(await reaches(session)).toBe(false)
    await hub.call('allow_connector', { name: 'outside' })
    await untilReaches(session, true)
  })

  test.runIf(setting === 'preferred')('an unconfined session needs no consent, and gives none', async () => {
    await fresh()
    const session = await create('bare', { sandbox: 'off', connectors: ['outside'] })
    await untilReaches(session, true)
    expect(await consentOf()).toBeUndefined()
    expect(await reaches(await create('boxed'))).toBe(false)
  })

  test.runIf(setting === 'preferred')('a job of a template waits for consent too', async () => {
    await fresh()
    const { name, last_message } = await hub.call('enqueue_one_off', { name: 'job', template: 'boxed' })
    expect(last_message).toMatch(waits)
    expect(await reaches(String(name))).toBe(false)
  })

  test.runIf(setting === 'required')(
    'a session of a template does not start without it, and says what to do',
    async () => {
      await fresh()
      await expect(create('boxed')).rejects.toThrow(waits)
      expect(await signalbox('connectors', 'allow', 'outside')).toMatchObject({ code: 0 })
      expect(await reaches(await create('boxed'))).toBe(true)
    },
  )

  function signalbox(...args: readonly string[]) {
    return runInProcess(args, { env: { SIGNALBOX_HOME: hub.home } })
  }
})
