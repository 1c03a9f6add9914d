/** The driver against a server that speaks Codex's protocol. `test/agents/codex.agents.ts` runs the real one. */
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { compileCache } from '../../../test/harness/compile-cache.ts'
import { testPipedPrograms } from '../../../test/fixtures/piped-programs.ts'
import type { NewEntry } from '../../api/thread.ts'
import { templateSchema } from '../../api/template.ts'
import type { Log } from '../../base/log.ts'
import { createAnswerRoom } from '../port/answer-room.ts'
import type { Driver, Run, RunSession } from '../port/driver.ts'
import type { OwnToolAnswer, OwnToolCall } from '../port/own-tools.ts'
import { connectToAppServer } from './app-server.ts'
import { createCodexDriver } from './codex.ts'
import { addressOf, tokenOf } from './server-program.ts'

const key = Buffer.alloc(32, 7)
const id = 'p'
const server = fileURLToPath(new URL('../../../test/fixtures/codex-app-server.ts', import.meta.url))
const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Log
const never = new AbortController().signal
const slow = { timeout: 10_000 }

type Asked = OwnToolCall & { answer(answer: OwnToolAnswer): void }

/** A hub with its thread and its gate. The thread outlives it, as in a database. */
function createWorld(options: { readonly own_tools?: 'required'; readonly env?: Record<string, string> } = {}) {
  const programs = testPipedPrograms()
  const entries = new Map<string, NewEntry>()
  let progress: string | undefined
  /** The calls that wait for an answer. */
  let asked: Asked[] = []
  const inTerminal: string[] = []
  const ended: string[] = []
  const template = templateSchema.parse({ name: 'codex', command: 'codex', driver: 'codex', ...options })
  const session: RunSession = {
    id,
    name: 'test',
    backend: 'holder',
    mode: 'structured',
    workspacePath: programs.directory,
    directory: programs.directory,
    conversation: undefined,
    template,
    isResumed: false,
    lastActivity: undefined,
    projectSettings: async () => [],
    noteAnswer: async () => {},
    heldCall: () => undefined,
    agentConnected: async () => {},
    openTranscript: (path) => open(path),
    thread: {
      async append(_conversation, added, stored) {
        for (const entry of added) if (!entries.has(entry.key)) entries.set(entry.key, entry)
        progress = stored?.readTo ?? progress
      },
      draft() {},
      progress: async () => progress,
      read: async () => [...entries.values()],
      has: async (_conversation, wanted) => entries.has(wanted),
    },
    ownTools: {
      check: () => Promise.reject(new Error('not used')),
      authorize(call) {
        const { promise, resolve } = Promise.withResolvers<OwnToolAnswer>()
        asked.push({ ...call, answer: resolve })
        call.onHeld?.(`a${asked.length}`)
        call.signal.addEventListener('abort', () => resolve({ is: 'refused', reason: 'gone', endsTurn: false }))
        return promise
      },
      toolsOfHub: async () => [],
      answeredInTerminal: async (approval, decision) => void inTerminal.push(`${approval} ${decision}`),
    },
  }
  const driver = (): Driver => {
    const terminals = { start: () => Promise.reject(new Error('no terminal')), adopt: async () => undefined }
    return createCodexDriver({ servers: programs.open(), terminals, key, log })
  }
  let last: Run | undefined
  onTestFinished(async () => {
    await last?.stop()
    last?.[Symbol.dispose]()
  })
  return {
    inTerminal,
    ended,
    entries: () => [...entries.values()].map(summaryOf),
    nextAsked: () =>
      expect
        .poll(() => asked.length, slow)
        .toBeGreaterThan(0)
        .then(() => asked.shift()!),
    isAsked: () => asked.length > 0,
    async start(): Promise<Run> {
      const env = { PATH: process.env['PATH'] ?? '', ...compileCache, ...options.env }
      const program = { file: process.execPath, args: [server, 'app-server'], cwd: programs.directory, env }
      const size = { cols: 80, rows: 24 }
      return (last = await driver().start({ ...session, template, program, size, firstPrompt: 'none' }))
    },
    /** The next hub. */
    async adopt(): Promise<Run> {
      last?.[Symbol.dispose]()
      asked = []
      return (last = (await driver().adopt(session))!)
    },
    /** Another client of the same server, such as the interface. */
    async other() {
      const found = (await programs.open().adopt(id))!
      const address = { url: await addressOf(found, programs.directory), token: tokenOf(key, id) }
      const requests: { readonly id: string | number; readonly method: string }[] = []
      const listeners = {
        onNotification() {},
        onRequest: (request: string | number, method: string) => void requests.push({ id: request, method }),
        onClose() {},
      }
      const client = await connectToAppServer(address, listeners, createAnswerRoom())
      onTestFinished(() => {
        client[Symbol.dispose]()
        found.release()
      })
      return { client, requests, address }
    },
  }
}

function summaryOf(entry: NewEntry): string {
  switch (entry.type) {
    case 'tool-request':
      return `call ${entry.name} ${JSON.stringify(entry.parameters)}`
    case 'tool-result':
      return `result${entry.error === undefined ? '' : ' error'}`
    case 'complete':
      return `${entry.status} ${entry.usage?.output_tokens}${entry.reason === undefined ? '' : ` ${entry.reason}`}`
    case 'error':
      return entry.message
    default:
      return `${entry.type} ${entry.text}`
  }
}

function allowed(isRuled: boolean, ended: string[] = []): OwnToolAnswer {
  return { is: 'allowed', isRuled, approval: undefined, end: (outcome) => void ended.push(outcome) }
}

const threadOf = (run: Run) => ({ threadId: run.conversation })
const becomes = (run: Run, is: string) => expect.poll(() => run.activity.is, slow).toBe(is)

test('a prompt and its answer are in the thread, with the usage of the turn', async () => {
  const world = createWorld()
  const run = await world.start()
  expect(run).toMatchObject({ governed: { is: 'yes' }, activity: { is: 'idle' }, conversation: undefined })
  for (const text of ['say hello', 'say again']) {
    expect(await run.prompt(text, never)).toEqual({ delivered: true })
    await becomes(run, 'idle')
  }
  await expect
    .poll(world.entries, slow)
    .toEqual(['prompt say hello', 'text hello', 'completed 10', 'prompt say again', 'text again', 'completed 10'])
  expect(run.conversation).toBeTypeOf('string')
})

test('a command is judged by its own text, and asks a person only if it leaves the sandbox', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('run ls -l', never)
  const plain = await world.nextAsked()
  expect(plain).toMatchObject({ tool: 'own_shell', arguments: { command: 'ls -l', agent_tool: 'exec_command' } })
  expect(plain.agentAsks).toBe(false)
  plain.answer(allowed(false, world.ended))
  await becomes(run, 'idle')
  expect(world.ended).toEqual(['ok'])
  await run.prompt('escalate rm -r x', never)
  const escalated = await world.nextAsked()
  expect(escalated).toMatchObject({ arguments: { command: 'rm -r x' }, agentAsks: true })
  escalated.answer({ is: 'refused', reason: 'no', endsTurn: false })
  await becomes(run, 'idle')
  expect(world.entries().filter((entry) => /^(result|text)/.test(entry))).toEqual([
    'result',
    'text accept',
    'result error',
    'text decline',
  ])
})

test('a refusal that must end the turn ends it', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('run ls', never)
  ;(await world.nextAsked()).answer({ is: 'refused', reason: 'stop', endsTurn: true })
  await becomes(run, 'idle')
  expect(world.entries().at(-1)).toBe('interrupted 10')
})

test('each file of a patch is judged, and one refusal is enough', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('patch inside.txt /etc/outside .git/config', never)
  const files = []
  for (const answer of [allowed(false), allowed(true), { is: 'refused', reason: 'no', endsTurn: false } as const]) {
    const call = await world.nextAsked()
    files.push([call.tool, call.arguments['path'], call.agentAsks])
    call.answer(answer)
  }
  expect(files).toEqual([
    ['own_edit', expect.stringMatching(/\/inside\.txt$/), false],
    ['own_edit', '/etc/outside', true],
    ['own_edit', expect.stringMatching(/\.git\/config$/), true],
  ])
  await becomes(run, 'idle')
  expect(world.entries()).toContain('text decline')
})

test.each(['run ls', 'patch inside.txt'])(
  'the next hub gets the open question of "%s" again, and the thread has nothing twice',
  async (prompt) => {
    const world = createWorld()
    const first = await world.start()
    await first.prompt(prompt, never)
    const before = await world.nextAsked()
    const next = await world.adopt()
    const again = await world.nextAsked()
    expect({ tool: again.tool, arguments: again.arguments }).toEqual({ tool: before.tool, arguments: before.arguments })
    again.answer(allowed(true))
    await becomes(next, 'idle')
    expect(world.entries()).toEqual([
      `prompt ${prompt}`,
      expect.stringMatching(/^call /),
      'result',
      'text accept',
      'completed 10',
    ])
  },
)

test('a question stays open when the hub stops before a person has answered', async () => {
  const world = createWorld()
  const first = await world.start()
  await first.prompt('run ls', never)
  ;(await world.nextAsked()).answer({ is: 'refused', reason: 'not answered', endsTurn: false, isUndecided: true })
  const next = await world.adopt()
  ;(await world.nextAsked()).answer(allowed(true))
  await becomes(next, 'idle')
  expect(world.entries()).toContain('text accept')
})

test.each([
  ['', 'run ls'],
  [', also if its end is not recorded yet', 'run late'],
])('a turn that ends without a hub is read by the next one, with its usage%s', async (_when, prompt) => {
  const world = createWorld()
  const first = await world.start()
  await first.prompt(prompt, never)
  await world.nextAsked()
  const { client, requests } = await world.other()
  const threads = await client.call('thread/loaded/list', {}, z.object({ data: z.array(z.string()) }))
  await client.call('thread/resume', { threadId: threads.data[0] }, z.unknown())
  first[Symbol.dispose]()
  client.answer(requests[0]!.id, { decision: 'accept' })
  const next = await world.adopt()
  await becomes(next, 'idle')
  await expect
    .poll(() => world.entries().slice(-4), slow)
    .toEqual([expect.stringMatching(/^call exec_command/), 'result', 'text accept', 'completed 10'])
})

test.each([
  ['accept', 'approve'],
  ['decline', 'deny'],
])('if the person says %s in the interface, the approval is answered', async (decision, recorded) => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('run ls', never)
  const call = await world.nextAsked()
  const { client, requests } = await world.other()
  await client.call('thread/resume', threadOf(run), z.unknown())
  client.answer(requests[0]!.id, { decision })
  await expect.poll(() => world.inTerminal, slow).toEqual([`a1 ${recorded}`])
  await becomes(run, 'idle')
  call.answer(allowed(true))
})

test('a thread that the person starts is put under the policy at once, and prompts go to it', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('say old', never)
  await becomes(run, 'idle')
  const { client } = await world.other()
  const { id: threadId } = await client.call('fixture/new', {}, z.object({ id: z.string() }))
  const policy = () => client.call('fixture/policy', { threadId }, z.object({ policy: z.string() }))
  await expect.poll(policy, slow).toEqual({ policy: 'untrusted' })
  expect(run.governed).toEqual({ is: 'yes' })
  await run.prompt('run ls', never)
  ;(await world.nextAsked()).answer(allowed(true))
  await expect.poll(world.entries, slow).toContain('text accept')
  expect(run.conversation).toBe(threadId)
})

test('full access that a person gives is undone, and shown', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('say it', never)
  await becomes(run, 'idle')
  const { client } = await world.other()
  await client.call('fixture/loosen', threadOf(run), z.unknown())
  const settings = () =>
    client.call('fixture/policy', threadOf(run), z.object({ policy: z.string(), sandbox: z.string() }))
  await expect.poll(settings, slow).toEqual({ policy: 'untrusted', sandbox: 'workspaceWrite' })
  const governed = () => run.governed
  await expect.poll(governed, slow).toMatchObject({ is: 'partly', reason: expect.stringMatching(/full access/) })
})

test('a question of the agent is shown, and answered', async () => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt('ask Which color?', never)
  await becomes(run, 'waiting')
  expect(run.question).toMatchObject({ text: 'Which color?', choices: ['red', 'blue'] })
  expect(await run.prompt('say no', never)).toMatchObject({ delivered: false, reason: expect.stringMatching(/color/) })
  await run.answer!(run.question!.id, 'blue')
  await becomes(run, 'idle')
  expect(world.entries()).toContain('text {"q":{"answers":["blue"]}}')
})

test('a turn can be steered and interrupted', async () => {
  const world = createWorld()
  const run = await world.start()
  await expect(run.steer!('now')).rejects.toThrow(/nothing that could be steered/)
  await run.interrupt!()
  await run.prompt('stall', never)
  await expect.poll(world.entries, slow).toEqual(['prompt stall'])
  await run.steer!('now')
  await run.interrupt!()
  await becomes(run, 'idle')
  expect(world.entries()).toEqual(['prompt stall', 'text steered: now', 'interrupted 10'])
})

test.each([
  ['contextWindowExceeded', /The context is full/],
  ['usageLimitExceeded', /takes no more requests for now: wait/],
])('a turn that fails with %s says what to do', async (why, hint) => {
  const world = createWorld()
  const run = await world.start()
  await run.prompt(`fail ${why}`, never)
  await expect.poll(world.entries, slow).toContainEqual(expect.stringMatching(/^failed 10 It failed\./))
  expect(world.entries().at(-1)).toMatch(hint)
  await becomes(run, 'idle')
})

test('without a login, the session waits for one and takes no prompt', async () => {
  const run = await createWorld({ env: { FIXTURE_LOGIN: 'needed' } }).start()
  expect(run.activity).toMatchObject({ is: 'waiting', reason: expect.stringMatching(/sign in/) })
  expect(await run.prompt('say it', never)).toMatchObject({
    delivered: false,
    reason: expect.stringMatching(/sign in/),
  })
})

test('a server that crashes ends the session, which says so', async () => {
  const run = await createWorld().start()
  await run.prompt('crash', never)
  await expect
    .poll(() => run.status, slow)
    .toMatchObject({ is: 'exited', code: 3, reason: expect.stringMatching(/server of Codex has ended/) })
})

test('a client without the token is refused', async () => {
  const world = createWorld()
  await world.start()
  const { address } = await world.other()
  const listeners = { onNotification() {}, onRequest() {}, onClose() {} }
  const guessing = { ...address, token: 'guess' }
  await expect(connectToAppServer(guessing, listeners, createAnswerRoom())).rejects.toThrow(/refused the connection/)
})
