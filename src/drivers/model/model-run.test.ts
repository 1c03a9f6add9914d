/** The inbox that wakes the agent, and the resources it follows. `test/model-driver.test.ts` has the rest, with a hub. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScriptedModel } from '../../../test/agents/model/model.ts'
import { startScriptedModel } from '../../../test/agents/model/model.ts'
import { testSession } from '../../../test/fixtures/run-session.ts'
import { until } from '../../../test/fixtures/until.ts'
import { createLog } from '../../base/log.ts'
import { createRedactor } from '../../base/redact.ts'
import { createModels } from '../../models/models.ts'
import type { Run } from '../port/driver.ts'
import type { AgentFace } from './agent-face.ts'
import type { InboxMessage } from './inbox.ts'
import { openModelRun } from './model-run.ts'

let scripted: ScriptedModel
beforeAll(async () => void (scripted = await startScriptedModel()))
afterAll(() => scripted[Symbol.asyncDispose]())

const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, annotations: {} }

async function open({ session = testSession() } = {}) {
  const redactor = createRedactor()
  const log = createLog({ level: 'error', redactor })
  const settings = { model: 'x', baseUrl: `${scripted.origin}/v1`, key: undefined, contextTokens: undefined }
  const events = { append: async () => ({ seq: 1, id: 'e', at: '' }), appendLater() {} }
  const models = createModels({ settings: { ...settings, environment: {} }, events, redactor })
  const world = { inbox: [] as InboxMessage[], followed: '[]', onLook: () => {} }
  const face: AgentFace = {
    listTools: async () => [tool],
    findTool: () => tool,
    async callTool() {
      world.onLook()
      return { content: [{ type: 'text', text: 'seen' }] }
    },
    readResource: async (uri) => ({ contents: [{ uri, text: `{"subscriptions":${world.followed}}` }] }),
    waitForStart: async () => {},
    whyMissing: () => undefined,
  }
  const shell: Run = {
    status: { is: 'running' },
    activity: { is: 'idle', since: '', source: 'none', confidence: 1 },
    fault: undefined,
    onChange: () => () => {},
    prompt: async () => ({ delivered: false }),
    stop: async () => {},
    [Symbol.dispose]() {},
  }
  const run = await openModelRun({
    session,
    shell,
    models,
    faceOf: () => face,
    inboxOf: async () => ({ messages: [...world.inbox], taken: async () => void world.inbox.splice(0) }),
    correlationOf: () => undefined,
    redact: (text) => text,
    log,
  })
  const ends = () => session.entries.filter(({ type }) => type === 'complete')
  return { ...world, world, session, run, ends }
}

function texts(entries: readonly object[]): readonly unknown[] {
  return entries.flatMap((entry) => ('text' in entry ? [entry.text] : []))
}

const signal = new AbortController().signal

test('a message wakes an idle agent, and is handed over once', async () => {
  const { run, world, session, ends } = await open()
  run.wake()
  world.inbox.push({ id: '1', text: 'FINAL good morning' })
  run.wake()
  run.wake()
  await until(() => ends().length === 1 && run.activity.is === 'idle')
  expect(texts(session.entries)).toEqual(['FINAL good morning', 'good morning'])
  run.wake()
  await until(() => run.activity.is === 'idle')
  expect(ends()).toHaveLength(1)
})

test('a message that comes while the agent works is handed over before the next call of the model', async () => {
  const { run, world, session, ends } = await open()
  world.onLook = () => void world.inbox.push({ id: '2', text: 'FINAL heard you' })
  await run.prompt('CALL look {}\nFINAL not heard', signal)
  await until(() => ends().length === 1)
  expect(texts(session.entries).at(-1)).toBe('heard you')
})

test('changes of followed resources are handed over once, and do not wake the agent', async () => {
  const { run, world, session, ends } = await open()
  world.followed = '[{"server":"docs","uri":"file:///a","changed_at":"1"},{"server":"docs","uri":"file:///b"}]'
  run.wake()
  await run.prompt('FINAL one', signal)
  await until(() => ends().length === 1)
  expect(texts(session.entries)[1]).toMatch(/have changed.*\n- file:\/\/\/a of docs$/)
  await run.prompt('FINAL two', signal)
  await until(() => ends().length === 2)
  const prompts = session.entries.filter(({ type }) => type === 'prompt')
  expect(texts(prompts).filter((text) => String(text).includes('have changed'))).toHaveLength(1)
})

test('a hub that leaves writes no end, and the next one says that the turn was cut', async () => {
  const first = await open()
  await first.run.prompt('SLOW 10\nLONG 2000\nFINAL never', signal)
  await until(() => first.session.drafts.some(({ text }) => text.includes('word3')))
  first.run[Symbol.dispose]()
  const before = first.session.drafts.at(-1)!.text
  expect(first.ends()).toHaveLength(0)
  const second = await open({ session: first.session })
  expect(second.ends()).toMatchObject([{ status: 'interrupted', reason: expect.stringContaining('stopped or killed') }])
  expect(String(texts(second.session.entries).at(-1))).toMatch(new RegExp(`^${before}`))
})

test('a prompt that is withdrawn while it waits is never run', async () => {
  const { run, session, ends } = await open()
  await run.prompt('STALL\nFINAL first', signal)
  const leaving = new AbortController()
  const second = run.prompt('FINAL second', leaving.signal)
  leaving.abort()
  expect(await second).toMatchObject({ delivered: false, reason: expect.stringContaining('withdrawn') })
  await until(() => scripted.stalled > 0)
  scripted.release()
  await until(() => ends().length === 1)
  expect(texts(session.entries)).not.toContain('FINAL second')
})
