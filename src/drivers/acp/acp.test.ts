import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { testPipedPrograms } from '../../../test/fixtures/piped-programs.ts'
import { createGate } from '../../../test/fixtures/gate.ts'
import type { TestSession, TestSessionOptions } from '../../../test/fixtures/run-session.ts'
import { allowed, refused, testSession } from '../../../test/fixtures/run-session.ts'
import { endProgram } from '../../../test/worlds/held-program.ts'
import { until } from '../../../test/fixtures/until.ts'
import { compileCache } from '../../../test/harness/compile-cache.ts'
import { createLog } from '../../base/log.ts'
import { createRedactor } from '../../base/redact.ts'
import type { Driver, Run, RunSession } from '../port/driver.ts'
import { createAcpDriver } from './acp.ts'

const agent = fileURLToPath(new URL('../../../test/fixtures/acp-agent.ts', import.meta.url))
const never = new AbortController().signal
const token = 'a-secret-of-the-session'

interface World {
  readonly session: TestSession
  readonly programs: ReturnType<typeof testPipedPrograms>
  start(): Promise<Run>
  /** Detaches without notice, and adopts the program as the next hub does. */
  replaceHub(run: Run, session?: RunSession): Promise<Run>
}

function world(options: TestSessionOptions = {}, env: Readonly<Record<string, string>> = {}): World {
  const programs = testPipedPrograms()
  const session = testSession(options)
  const log = createLog({ level: 'error', redactor: createRedactor() })
  const open = (): Driver => createAcpDriver({ pipes: programs.open(), log })
  const opened = (run: Run) => {
    onTestFinished(() => run[Symbol.dispose]())
    return run
  }
  return {
    session,
    programs,
    async start() {
      const program = {
        file: process.execPath,
        args: [agent],
        cwd: session.workspacePath,
        env: {
          PATH: process.env['PATH'] ?? '',
          ...compileCache,
          SIGNALBOX_URL: 'http://127.0.0.1:1/mcp',
          SIGNALBOX_TOKEN: token,
          ...env,
        },
      }
      const run = opened(await open().start({ ...session, program, size: { cols: 80, rows: 24 }, firstPrompt: 'none' }))
      const { status } = run
      if (status.is !== 'running' || status.pid === undefined) throw new Error('it does not run')
      const { pid } = status
      onTestFinished(() => endProgram(pid))
      return run
    },
    async replaceHub(run, later = session) {
      run[Symbol.dispose]()
      const next = await open().adopt(later)
      if (!next) throw new Error('the program is gone')
      return opened(next)
    },
  }
}

const geminiTemplate = { agent: 'gemini', args: ['--admin-policy', 'x'] }
const turnsOf = ({ entries }: TestSession) => entries.filter(({ type }) => type === 'complete')
const typesOf = ({ entries }: TestSession) => entries.map(({ type }) => type)
const isIdle = (run: Run) => run.activity.is === 'idle'

test('the thread has everything that the agent thinks, says and does', async () => {
  const { session, start } = world()
  const run = await start()
  expect(
    await run.prompt('THINK a long thought\nSAY first a sentence\nRUN echo hello\nSAY then another', never),
  ).toEqual({
    delivered: true,
  })
  await until(() => turnsOf(session).length === 1)
  expect(session.entries).toMatchObject([
    { type: 'prompt' },
    { type: 'thinking', text: 'a long thought', model: 'scripted' },
    { type: 'text', text: 'first a sentence' },
    { type: 'tool-request', name: 'run_shell_command', parameters: { command: 'echo hello' } },
    { type: 'tool-result', result: 'hello\n' },
    { type: 'text', text: 'then another' },
    { type: 'complete', status: 'completed', usage: { input_tokens: 3, output_tokens: 4 } },
  ])
  expect(session.calls).toMatchObject([
    {
      tool: 'own_shell',
      arguments: { command: 'echo hello', cwd: session.workspacePath, agent_tool: 'run_shell_command' },
      agentAsks: true,
    },
  ])
  expect(run.conversation).toMatch(/^[0-9a-f-]{36}$/)
})

test('the token of the session is not in the journal', async () => {
  const { start, programs } = world()
  await start()
  const inputs = readFileSync(join(programs.directory, 'programs', 'p', 'journal', '0000000000000001.input'), 'utf8')
  expect(inputs).toContain('initialize')
  expect(inputs).not.toContain(token)
})

test('a refused command does not run, and the thread says why', async () => {
  const { session, start } = world({ authorize: async () => refused('it is on the list') })
  const run = await start()
  await run.prompt('RUN touch made\nSAY went on', never)
  await until(() => turnsOf(session).length === 1)
  expect(session.entries).toMatchObject([
    { type: 'prompt' },
    { type: 'tool-request' },
    { type: 'tool-result', error: 'it is on the list' },
    { type: 'text', text: 'went on' },
    { type: 'complete', status: 'completed' },
  ])
})

test('a refusal that ends the turn cancels it', async () => {
  const { session, start } = world({ authorize: async () => refused('stop here', true) })
  const run = await start()
  await run.prompt('RUN touch made\nSTALL', never)
  await until(() => turnsOf(session).length === 1)
  expect(turnsOf(session)).toMatchObject([{ status: 'interrupted' }])
})

test('a question without a description waits for it', async () => {
  const { session, start } = world({}, { ACP_STYLE: 'opencode' })
  const run = await start()
  await run.prompt('RUN echo hello', never)
  await until(() => turnsOf(session).length === 1)
  expect(session.calls).toMatchObject([{ tool: 'own_shell', arguments: { command: 'echo hello', agent_tool: 'bash' } }])
})

test('the next hub continues in the middle of a turn, and writes nothing twice', async () => {
  const gate = createGate()
  const { session, start, replaceHub } = world({
    async authorize() {
      await gate.pass()
      return allowed
    },
  })
  const run = await start()
  await run.prompt('SAY before it\nRUN echo one\nSAY between\nRUN echo two\nSAY after it', never)
  await gate.reached
  const next = await replaceHub(run)
  gate.open()
  await until(() => turnsOf(session).length === 1)
  expect(typesOf(session)).toEqual([
    'prompt',
    'text',
    'tool-request',
    'tool-result',
    'text',
    'tool-request',
    'tool-result',
    'text',
    'complete',
  ])
  expect(isIdle(next)).toBe(true)
  await next.prompt('SAY again', never)
  await until(() => turnsOf(session).length === 2)
})

test('the next hub asks about open questions, and not about those that the last hub answered', async () => {
  const asked: string[] = []
  const gate = createGate()
  const { session, start, replaceHub } = world({
    async authorize({ arguments: { command } }) {
      asked.push(String(command))
      if (command === 'echo two') await gate.pass()
      return allowed
    },
  })
  const run = await start()
  await run.prompt('RUN echo one\nRUN echo two', never)
  await gate.reached
  await replaceHub(run)
  await until(() => asked.length === 3)
  gate.open()
  await until(() => turnsOf(session).length === 1)
  expect(asked).toEqual(['echo one', 'echo two', 'echo two'])
  expect(session.entries.filter(({ type }) => type === 'tool-result')).toHaveLength(2)
})

test('a hub that stored no progress reads everything again', async () => {
  const { session, start, replaceHub } = world()
  const run = await start()
  await run.prompt('SAY one', never)
  await until(() => turnsOf(session).length === 1)
  const { thread } = session
  const forgetful = { ...session, thread: { ...thread, progress: async () => undefined } }
  const next = await replaceHub(run, forgetful)
  await next.prompt('SAY two', never)
  await until(() => turnsOf(session).length === 2)
  expect(typesOf(session)).toEqual(['prompt', 'text', 'complete', 'prompt', 'text', 'complete'])
})

test('an interrupted turn ends, and its open question is withdrawn', async () => {
  let signal: AbortSignal | undefined
  const { session, start } = world({
    async authorize(call) {
      signal = call.signal
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
      return refused('cancelled')
    },
  })
  const run = await start()
  await run.prompt('RUN touch made', never)
  await until(() => signal !== undefined)
  await run.interrupt?.()
  await until(() => turnsOf(session).length === 1)
  expect(turnsOf(session)).toMatchObject([{ status: 'interrupted' }])
  await expect(run.interrupt?.()).rejects.toMatchObject({ code: 'conflict' })
})

test('a prompt waits until the turn before it has ended', async () => {
  const gate = createGate()
  const { session, start } = world({
    async authorize() {
      await gate.pass()
      return allowed
    },
  })
  const run = await start()
  await run.prompt('RUN echo one', never)
  const second = run.prompt('SAY two', never)
  await gate.reached
  gate.open()
  await second
  await until(() => turnsOf(session).length === 2)
  expect(session.entries.at(-2)).toMatchObject({ type: 'text', text: 'two' })
})

test('a crash in the middle of a turn ends it with the last words of the program', async () => {
  const { session, start } = world()
  const run = await start()
  await run.prompt('SAY half of\nCRASH', never)
  await until(() => turnsOf(session).length === 1)
  expect(session.entries).toMatchObject([
    { type: 'prompt' },
    { type: 'text', text: 'half of' },
    { type: 'complete', status: 'failed', reason: expect.stringContaining('out of memory') },
  ])
  expect(run.status).toMatchObject({ is: 'exited', code: 7 })
})

test('an error ends the turn with its message, and the session goes on', async () => {
  const { session, start } = world()
  const run = await start()
  await run.prompt('FAIL the quota is used up', never)
  await until(() => turnsOf(session).length === 1)
  expect(turnsOf(session)).toMatchObject([
    { status: 'failed', reason: expect.stringMatching(/^the quota is used up\. .*wait, then send the prompt again/) },
  ])
  await run.prompt('SAY still here', never)
  await until(() => turnsOf(session).length === 2)
})

test('an agent that needs a login ends with a fault that says so', async () => {
  const { start } = world({}, { ACP_LOGIN: '1' })
  const run = await start()
  expect(await run.prompt('SAY hello', never)).toMatchObject({
    delivered: false,
    reason: expect.stringContaining('needs a login'),
  })
  await until(() => run.status.is === 'exited')
})

test('it is governed only after it has asked about a tool, also for the next hub', async () => {
  const { session, start, replaceHub } = world({ template: geminiTemplate })
  const run = await start()
  await run.prompt('SAY hello', never)
  await until(() => turnsOf(session).length === 1)
  expect(run.governed).toMatchObject({ is: 'no', unproven: true })
  await run.prompt('RUN echo hello\nSAY done', never)
  await until(() => turnsOf(session).length === 2)
  expect(run.governed).toEqual({ is: 'yes' })
  expect((await replaceHub(run)).governed).toEqual({ is: 'yes' })
})

test('a tool that runs without asking is noticed', async () => {
  const { session, start, replaceHub } = world()
  const run = await start()
  await run.prompt('SNEAK echo hello\nSAY done', never)
  await until(() => turnsOf(session).length === 1)
  expect(run.governed).toEqual({ is: 'partly', reason: 'run_shell_command ran without asking the hub.' })
  expect((await replaceHub(run)).governed).toMatchObject({ is: 'partly' })
})

test('a session that must be governed ends when a tool runs without asking', async () => {
  const { start } = world({ template: { own_tools: 'required' } })
  const run = await start()
  await run.prompt('SNEAK echo hello\nSTALL', never)
  await until(() => run.status.is === 'exited')
  expect(run.fault).toContain('ran without asking the hub')
})

test('a continued conversation is loaded, and its repeated messages are not written again', async () => {
  const { session, start } = world({ more: { isResumed: true, conversation: 'earlier' } })
  const run = await start()
  await run.prompt('SAY hello', never)
  await until(() => turnsOf(session).length === 1)
  expect(run.conversation).toBe('earlier')
  expect(typesOf(session)).toEqual(['prompt', 'text', 'complete'])
})
