/** prompt_session and its companions, with an agent that answers through its thread. */
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { Activity } from '../api/session.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import type { Driver, Run, RunSession, RunStatus } from '../drivers/drivers.ts'
import { createDrivers } from '../drivers/drivers.ts'
import { createTurns } from '../gate/gate.ts'

/**
 * Repeats each prompt in capitals. "wait" makes it wait for a person, "fail" ends the turn in a failure, "end" ends the
 * program, "slow" takes a moment.
 */
function echoingRun({ thread }: RunSession): Run {
  const listeners = new Set<() => void>()
  const steered: string[] = []
  let status: RunStatus = { is: 'running' }
  let activity = become('idle')
  let turns = 0
  let turn = Promise.resolve()

  function become(is: Activity['is'], reason?: string): Activity {
    return { is, since: new Date().toISOString(), source: 'agent', confidence: 1, ...(reason && { reason }) }
  }
  function tell(): void {
    for (const listener of listeners) listener()
  }
  async function answer(text: string): Promise<void> {
    const number = ++turns
    const at = new Date().toISOString()
    await thread.append('c1', [{ type: 'prompt', key: `p${number}`, at, text }])
    if (text === 'wait') {
      activity = become('waiting', 'it wants to know')
      return tell()
    }
    if (text === 'slow') {
      activity = become('working')
      tell()
      await setTimeout(300)
      activity = become('idle')
    }
    if (text === 'end') {
      status = { is: 'exited', code: 1, signal: null }
      return tell()
    }
    const usage = { input_tokens: 3, output_tokens: 2 }
    await thread.append('c1', [
      { type: 'text', key: `a${number}`, at, text: [text.toUpperCase(), ...steered].join(' ') },
      text === 'fail'
        ? { type: 'complete', key: `e${number}`, at, status: 'failed', reason: 'no model answers' }
        : { type: 'complete', key: `e${number}`, at, status: 'completed', usage },
    ])
  }
  return {
    get status() {
      return status
    },
    get activity() {
      return activity
    },
    fault: undefined,
    hasThread: true,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async prompt(text) {
      if (text === 'refuse') return { delivered: false, reason: 'a dialog is in the way', screen: '❯ Yes' }
      turn = turn.then(() => answer(text))
      return { delivered: true }
    },
    async steer(text) {
      steered.push(text)
    },
    async stop() {
      status = { is: 'exited', code: 0, signal: null }
      tell()
    },
    [Symbol.dispose]() {},
  }
}

const driver: Driver = {
  name: 'echo',
  abilities: { terminal: false, steer: true, interrupt: false, questions: false },
  start: async (spec) => echoingRun(spec),
  adopt: async () => undefined,
}

async function open() {
  const { store, sessions, threads } = await useSqliteWorld([{ name: 'echo', driver: 'echo', command: 'cat' }], {
    drivers: createDrivers([driver]),
  })
  const turns = createTurns({
    store,
    hubId: 'hub-1',
    events: { append: async (event) => ({ ...event, seq: 1, id: 'e1', at: '' }), appendLater() {} },
    threads: threads(),
    findSession: (id) => sessions.find(id),
    log: createLog({ level: 'error', redactor: createRedactor(), destination: { write() {} } }),
  })
  const tools = openSessionTools(sessions, turns)
  await tools.call('create_session', { name: 'mine', template: 'echo' })
  return tools
}

test('prompt_session waits for the end of the turn, and returns the answer and its usage', async () => {
  const { call } = await open()
  expect(await call('prompt_session', { session: 'mine', text: 'hello' })).toMatchObject({
    status: 'completed',
    answer: 'HELLO',
    usage: { input_tokens: 3, output_tokens: 2 },
    has_thread: true,
    route: 'session:mine',
  })
  // The second answer is that of the second turn.
  expect(await call('prompt_session', { session: 'mine', text: 'again' })).toMatchObject({ answer: 'AGAIN' })
  expect(await call('get_session', { name: 'mine' })).toMatchObject({ mode: 'terminal', thread: expect.any(String) })
})

test('prompt_session says why a turn failed, and that a person is needed', async () => {
  const { call } = await open()
  expect(await call('prompt_session', { session: 'mine', text: 'fail' })).toMatchObject({
    status: 'failed',
    reason: 'no model answers',
  })
  expect(await call('prompt_session', { session: 'mine', text: 'wait' })).toMatchObject({
    status: 'waiting',
    reason: 'it wants to know',
  })
})

test('prompt_session does not wait for an agent that has ended, or did not get the prompt', async () => {
  const { call, failure } = await open()
  expect(await call('prompt_session', { session: 'mine', text: 'refuse' })).toMatchObject({
    status: 'not-delivered',
    reason: 'a dialog is in the way',
    screen: '❯ Yes',
  })
  expect(await call('prompt_session', { session: 'mine', text: 'end' })).toMatchObject({ status: 'failed' })
  expect(await failure('prompt_session', { session: 'mine', text: 'hello' })).toContain('Call resume_session')
})

test('prompt_session to an agent that works waits for the end of its own turn, not of the one before', async () => {
  const { call } = await open()
  await call('prompt_session', { session: 'mine', text: 'slow', wait: false })
  expect(await call('prompt_session', { session: 'mine', text: 'after it' })).toMatchObject({ answer: 'AFTER IT' })
})

test('steer_session reaches the agent, and the error for something that an agent cannot do says what works instead', async () => {
  const { call, failure } = await open()
  expect(await call('steer_session', { session: 'mine', text: 'left' })).toEqual({ ok: true })
  expect(await call('prompt_session', { session: 'mine', text: 'go' })).toMatchObject({ answer: 'GO left' })
  expect(await failure('interrupt_session', { session: 'mine' })).toContain('Send it keys with send_keys')
  expect(await failure('answer_question', { session: 'mine', question: 'q', answer: 'a' })).toContain('send_input')
})
