/** opencode in the mode `both`, with a program that speaks as opencode does and loads the shipped plugin. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { sessionOf, startSessionHub } from '../worlds/session-hub.ts'

const policy = JSON.stringify({
  rules: [
    { allow: 'own_shell', when: shellWith('allowed') },
    { ask: 'own_shell', when: shellWith('asked') },
    { deny: 'own_shell', when: shellWith('forbidden'), reason: 'it is forbidden' },
  ],
})

function shellWith(word: string) {
  return { properties: { command: { pattern: word } }, required: ['command'] }
}

let hub: OwnHub
let place: string
let name: string
let sessions = 0
const undo: (() => PromiseLike<void>)[] = []
beforeAll(async () => {
  const temporary = await createTempHome()
  place = temporary.path
  undo.push(() => temporary[Symbol.asyncDispose]())
  const bin = join(place, 'bin')
  for (const folder of [bin, join(place, 'home'), join(place, 'work')]) mkdirSync(folder)
  const program = join(bin, 'opencode')
  const fixture = resolve(import.meta.dirname, '../fixtures/opencode/opencode.ts')
  // The hub drops the variable.
  const cache = process.env['NODE_COMPILE_CACHE'] ?? ''
  writeFileSync(program, `#!/bin/sh\nNODE_COMPILE_CACHE='${cache}' exec '${process.execPath}' '${fixture}' "$@"\n`)
  chmodSync(program, 0o755)
  hub = await startSessionHub({ HOME: join(place, 'home'), PATH: `${bin}${delimiter}${process.env['PATH']}` })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  for (const step of undo) await step()
})
beforeEach(() => {
  sessions += 1
  name = `agent${sessions}`
})

const file = (path: string) => join(place, 'work', path)
const run = (command: string) => `CALL bash ${JSON.stringify({ command })}`
const touch = (path: string) => run(`touch ${file(path)}`)
const start = (prompt: string, more: object = {}) =>
  hub.call('create_session', { name, template: 'opencode', working_dir: join(place, 'work'), policy, prompt, ...more })
const prompt = (text: string) => hub.call('prompt_session', { session: name, text, timeout_ms: 60_000 })
const decide = async (decision: string) => hub.call('decide_approval', { id: (await approval()).id, decision })
async function approval(): Promise<Approval> {
  return until(async () => ((await hub.call('list_approvals', { session: name }))['approvals'] as Approval[])[0])
}
/** The messages of the thread, without ids and times. */
async function said(): Promise<readonly string[]> {
  const { events } = (await hub.call('read_thread', { thread: name })) as unknown as Thread
  return events.flatMap((frame) => {
    if (frame.type === 'final') return []
    const words = 'text' in frame ? frame.text : 'name' in frame ? frame.name : 'status' in frame ? frame.status : ''
    return [`${frame.type} ${words}`]
  })
}
const hasSaid = (words: string) => expect.poll(said, patience).toContain(words)

test('a prompt is answered in the thread, and the plugin shows that its tools are governed', async () => {
  expect(await start('FINAL hello')).toMatchObject({ prompt: { delivered: true } })
  await expect.poll(said, patience).toEqual(['prompt FINAL hello', 'token hello', 'complete completed'])
  expect(await sessionOf(hub, name)).toMatchObject({ mode: 'both', governed: { is: 'yes' } })
  const { usage } = (await hub.call('read_thread', { thread: name })) as unknown as Thread
  expect(usage).toEqual({ input_tokens: 10, output_tokens: 5, cost_usd: 0.01 })
})

test('the password is in a file of its owner, and neither on the command line nor in the shell of the agent', async () => {
  await start(`${run(`allowed=1; echo "[$OPENCODE_SERVER_PASSWORD]" > ${file('seen')}`)}\nFINAL done`)
  await hasSaid('token done')
  expect(readFileSync(file('seen'), 'utf8')).toBe('[]\n')
  const { id, pid } = await sessionOf(hub, name)
  const path = join(hub.home, 'sessions', id, 'opencode-server.json')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { password } = JSON.parse(readFileSync(path, 'utf8')) as { password: string }
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(password)
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password)
})

test('rules allow and deny without a question, and a person approves what a rule asks about', async () => {
  await start('FINAL ready')
  await hasSaid('token ready')
  const both = await prompt(`${touch('allowed')}\n${touch('forbidden')}\nFINAL tried`)
  expect(both).toMatchObject({ status: 'completed', answer: 'tried' })
  expect([existsSync(file('allowed')), existsSync(file('forbidden'))]).toEqual([true, false])

  expect(await prompt(`${touch('asked')}\nFINAL asked it`)).toMatchObject({ status: 'waiting' })
  expect(existsSync(file('asked'))).toBe(false)
  await decide('approve')
  await hasSaid('token asked it')
  expect(existsSync(file('asked'))).toBe(true)
  const { approvals } = await hub.call('list_approvals', { session: name, status: 'consumed' })
  expect(approvals).toHaveLength(1)
})

test('the question of its own settings is answered through the hub, or in the terminal, once', async () => {
  await start(`${touch('own1')}\nFINAL by the hub`)
  await decide('approve')
  await hasSaid('token by the hub')
  expect(existsSync(file('own1'))).toBe(true)

  await prompt(`${touch('own2')}\nFINAL in the terminal`)
  const { id } = await approval()
  await hub.call('send_keys', { session: name, keys: 'y Enter' })
  await hasSaid('token in the terminal')
  expect(existsSync(file('own2'))).toBe(true)
  const { approvals } = await hub.call('list_approvals', { session: name, status: 'all' })
  const decided = (approvals as Approval[]).find((each) => each.id === id)
  expect(decided).toMatchObject({ decided_by: expect.stringContaining('terminal') })
})

test('the person in the terminal answers for a rule with the password, and a command of the agent cannot', async () => {
  await start(`${run(`allowed=1; echo "$SIGNALBOX_TOKEN" > ${file('token')}`)}\n${touch('asked5')}\nFINAL answered`)
  const { id: approvalId } = await approval()
  const { id } = await sessionOf(hub, name)
  const path = join(hub.home, 'sessions', id, 'opencode-server.json')
  const { password } = JSON.parse(readFileSync(path, 'utf8')) as { password: string }
  const token = readFileSync(file('token'), 'utf8').trim()
  const answer = async (shown: string) => {
    const response = await fetch(`http://127.0.0.1:${hub.port}/hooks/opencode`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ event: 'answer', approval: approvalId, decision: 'approve', password: shown }),
    })
    return response.status
  }
  expect(await answer('')).toBe(403)
  expect(await answer(password.replace(/.$/, ''))).toBe(403)
  expect(await approval()).toMatchObject({ id: approvalId, status: 'pending' })
  expect(await answer(password)).toBe(200)
  await hasSaid('token answered')
  expect(existsSync(file('asked5'))).toBe(true)
})

test('the thread is complete after the hub was killed in the middle of a turn, and says nothing twice', async () => {
  const text = `${touch('allowed-first')}\nWAIT ${file('go')}\n${touch('allowed-late')}\nWAIT ${file('end')}\nFINAL it went on`
  await start(text)
  await hasSaid('tool-result bash')
  await hub.end('SIGKILL')
  writeFileSync(file('go'), '')
  // Without a hub there is no decision, so the call is refused.
  await until(() => readFileSync(join(place, 'home/opencode-conversations.json'), 'utf8').includes('could not decide'))
  await hub.restart('SIGKILL')
  writeFileSync(file('end'), '')
  await hasSaid('complete completed')
  expect(await said()).toEqual([
    `prompt ${text}`,
    'tool-request bash',
    'tool-result bash',
    'tool-request bash',
    'tool-result bash',
    'token it went on',
    'complete completed',
  ])
  expect(existsSync(file('allowed-late'))).toBe(false)
  expect(await sessionOf(hub, name)).toMatchObject({ governed: { is: 'yes' } })
})

test('questions that are open when the hub is killed are answered by the next hub', async () => {
  await start(`${touch('own3')}\n${touch('asked3')}\nFINAL both`)
  await approval()
  await hub.restart('SIGKILL')
  await decide('approve')
  await until(() => existsSync(file('own3')))
  await until(async () => (await approval()).arguments['command'] === `touch ${file('asked3')}`)
  await hub.restart('SIGKILL')
  await decide('approve')
  await hasSaid('token both')
  expect(existsSync(file('asked3'))).toBe(true)
})

test('a turn is interrupted, also while a call is held', async () => {
  await start(`${touch('asked4')}\nFINAL never`)
  await approval()
  await hub.call('interrupt_session', { session: name })
  await hasSaid('complete interrupted')
  await expect.poll(async () => (await sessionOf(hub, name)).approvals_pending, patience).toBe(0)
  expect(existsSync(file('asked4'))).toBe(false)
})

test('a conversation that a person begins in the terminal is another thread, and resuming continues it', async () => {
  await start('FINAL first')
  await hasSaid('token first')
  const { thread } = await sessionOf(hub, name)
  await hub.call('send_input', { name, text: '/new' })
  await hub.call('send_input', { name, text: 'FINAL second' })
  await expect.poll(said, patience).toEqual(['prompt FINAL second', 'token second', 'complete completed'])
  expect((await sessionOf(hub, name)).thread).not.toBe(thread)
  expect(await prompt('FINAL by the hub')).toMatchObject({ answer: 'by the hub' })

  await hub.call('kill_session', { name })
  expect(await hub.call('resume_session', { name, prompt: 'FINAL third' })).toMatchObject({
    prompt: { delivered: true },
  })
  await hasSaid('token third')
  expect(await said()).toEqual([
    'prompt FINAL second',
    'token second',
    'complete completed',
    'prompt FINAL by the hub',
    'token by the hub',
    'complete completed',
    'prompt FINAL third',
    'token third',
    'complete completed',
  ])
})

test('a session whose plugin does not report is not governed', async () => {
  await hub.call('create_session', { name, template: 'opencode', env: { NO_PLUGIN: '1' } })
  expect(await sessionOf(hub, name)).toMatchObject({
    governed: { is: 'no', reason: expect.stringContaining('has not reported') },
  })
})

test('a command of the agent cannot pretend to be the plugin', async () => {
  await hub.call('create_session', { name, template: 'opencode', env: { NO_PLUGIN: '1' } })
  const { id } = await sessionOf(hub, name)
  const { port } = JSON.parse(readFileSync(join(hub.home, 'sessions', id, 'opencode-server.json'), 'utf8')) as {
    port: number
  }
  const { token } = await hub.call('issue_token', { role: 'agent', session: name })
  for (const event of [
    { event: 'hello', server: `http://127.0.0.1:${port}/` },
    { event: 'conversation', conversation: 'ses_x' },
  ]) {
    const { status } = await fetch(`http://127.0.0.1:${hub.port}/hooks/opencode`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(token)}` },
      body: JSON.stringify(event),
    })
    expect(status).toBe(403)
  }
  expect(await sessionOf(hub, name)).toMatchObject({ governed: { is: 'no' } })
})
