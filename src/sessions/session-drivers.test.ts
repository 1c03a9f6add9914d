/** The driver of a session, and sessions without a terminal. */
import { expect, test, vi } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { Session } from '../api/session.ts'
import type { Driver, Run, RunStatus } from '../drivers/drivers.ts'
import { createDrivers } from '../drivers/drivers.ts'

const { signal } = new AbortController()

/** A driver that runs no program. Its runs live as long as the driver. */
function silentDriver() {
  const prompts: string[] = []
  const runs = new Map<string, Run>()
  function begin(id: string): Run {
    const listeners = new Set<() => void>()
    let status: RunStatus = { is: 'running' }
    const run: Run = {
      get status() {
        return status
      },
      activity: { is: 'idle', since: new Date(0).toISOString(), source: 'agent', confidence: 1 },
      fault: undefined,
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      async prompt(text) {
        prompts.push(text)
        return { delivered: true }
      },
      async stop() {
        status = { is: 'exited', code: 0, signal: null }
        for (const listener of listeners) listener()
      },
      [Symbol.dispose]() {},
    }
    runs.set(id, run)
    return run
  }
  const driver: Driver = {
    name: 'silent',
    abilities: { terminal: false, steer: false, interrupt: false, questions: false },
    start: async ({ id }) => begin(id),
    adopt: async ({ id }) => runs.get(id),
  }
  return { driver, prompts }
}

const template = { name: 'agent', driver: 'silent', command: 'cat' }

test('the driver of a template runs its sessions, from the first prompt to the end', async () => {
  const { driver, prompts } = silentDriver()
  const { sessions } = await useSqliteWorld([template], { drivers: createDrivers([driver]) })
  const { record, prompt } = await sessions.create({ name: 'mine', template: 'agent', prompt: 'begin' }, signal)
  expect(record).toMatchObject({ driver: 'silent', status: 'running' })
  expect(prompt).toEqual({ delivered: true })
  expect(prompts).toEqual(['begin'])
  expect(sessions.activityOf(record).is).toBe('idle')
  expect(await sessions.kill(record, { remove: false })).toMatchObject({ status: 'stopped', exitCode: 0 })
})

test('a session with a terminal has the field "terminal" beside the older fields', async () => {
  const { sessions } = await useSqliteWorld()
  const { call } = openSessionTools(sessions)
  const asked = { name: 'mine', command: 'cat', size: { cols: 90, rows: 30 }, tools: ['read_screen'] }
  const { terminal, ...older } = await call<Session>('create_session', asked)
  expect(terminal).toEqual({
    size: { cols: 90, rows: 30 },
    log_path: expect.stringMatching(/\/journal$/),
    recording_path: expect.stringMatching(/\/recording\.cast$/),
    tools: ['read_screen'],
  })
  expect(older).toMatchObject({
    size: terminal?.size,
    log_path: terminal?.log_path,
    recording_path: terminal?.recording_path,
    terminal_tools: terminal?.tools,
  })
})

test('a session without a terminal has no field "terminal", and tools that need a terminal refuse it', async () => {
  const drivers = createDrivers([silentDriver().driver])
  const { sessions } = await useSqliteWorld([template], { drivers })
  const { call, failure, read } = openSessionTools(sessions)
  expect(await call('create_session', { name: 'mine', template: 'agent' })).not.toHaveProperty('terminal')
  expect(await call('get_session', { name: 'mine' })).not.toHaveProperty('terminal')
  expect(await failure('send_input', { name: 'mine', text: 'x' })).toContain('has no terminal to type into')
  expect(await failure('read_screen', { session: 'mine' })).toContain('has no terminal')
  expect(await failure('tail_log', { name: 'mine' })).toContain('keeps no log')
  expect(await failure('export_recording', { name: 'mine' })).toContain('has no terminal')
  expect(await failure('release_session', { name: 'mine' })).toContain('Only a session in tmux')
  expect(await failure('adopt_session', { target: 'work', template: 'agent' })).toContain(
    'cannot adopt a program in tmux',
  )
  await expect(read('resource://sessions/mine/screen')).rejects.toThrow('has no terminal')
})

test('a template with an unknown driver is refused, and the error names the known drivers', async () => {
  const { sessions } = await useSqliteWorld([template])
  const why = '"driver": there is no driver "silent". This hub has: pty.'
  await expect(sessions.create({ name: 'mine', template: 'agent' }, signal)).rejects.toThrow(why)
  await expect(sessions.create({ name: 'mine', template: 'agent', command: 'ls' }, signal)).rejects.toThrow(why)
  await expect(sessions.find('mine')).rejects.toThrow('no session')
})

test('the next hub adopts a session with its recorded driver, and leaves it alone without that driver', async () => {
  const { driver } = silentDriver()
  const world = await useSqliteWorld([template], { drivers: createDrivers([driver]) })
  const { record } = await world.sessions.create({ name: 'mine', template: 'agent' }, signal)
  const without = await world.restart({ drivers: createDrivers([]) })
  expect(await without.find('mine')).toMatchObject({
    status: 'running',
    lastMessage: expect.stringContaining('there is no driver "silent"'),
  })
  const adopt = vi.spyOn(driver, 'adopt')
  const next = await world.restart()
  expect(adopt).toHaveBeenCalledWith(expect.objectContaining({ id: record.id, name: 'mine' }))
  expect(await next.find('mine')).toMatchObject({ status: 'running', driver: 'silent' })
  expect(next.count).toBe(1)
})
