/** The hub types nothing into a dialog by accident: a waiting session takes an answer, and other text only with force. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openSessionTools } from '../fixtures/session-tools.ts'
import { useSqliteWorld } from '../worlds/session-world.ts'

const program = fileURLToPath(new URL('../fixtures/menu-program.ts', import.meta.url))
const patience = { timeout: 60_000 }
const choices = ['Yes', 'Yes, and never ask again', 'No']

function menu(style: 'numbered' | 'plain') {
  return { command: process.execPath, args: [program, style, ...choices] }
}

async function begin(...templates: Record<string, unknown>[]) {
  const world = await useSqliteWorld(templates)
  const tools = openSessionTools(world.sessions)
  const screen = async () =>
    (await tools.call<{ lines: string[] }>('read_screen', { session: 'asks' })).lines.join('\n').trim()
  async function startMenu(style: 'numbered' | 'plain' = 'numbered'): Promise<void> {
    const wait = { for: 'waiting', timeout_ms: 20_000 }
    expect(await tools.call('create_session', { name: 'asks', ...menu(style), wait })).toMatchObject({ met: true })
  }
  const send = (args: Record<string, unknown>) => tools.call('send_input', { name: 'asks', ...args })
  const refusal = (args: Record<string, unknown>) => tools.failure('send_input', { name: 'asks', ...args })
  return { ...tools, sessions: world.sessions, screen, startMenu, send, refusal }
}

test('a prompt is not typed into a menu, and the answer has the reason and the screen', async () => {
  const { call, screen } = await begin({ name: 'agent', ...menu('numbered'), prompt: { ready: '❯', quiet_ms: 20 } })
  const created = await call('create_session', { name: 'asks', template: 'agent', prompt: 'Fix the tests' })
  expect(created).toMatchObject({
    status: 'running',
    activity: { is: 'waiting', reason: 'Shall I do it?' },
    prompt: {
      delivered: false,
      reason: expect.stringContaining('Shall I do it?'),
      screen: expect.stringContaining('❯ 1. Yes\n   2. Yes, and never ask again'),
    },
  })
  expect(await screen()).not.toContain('took')
  // The call does not wait for a text that only the prompt would have caused.
  const waited = { name: 'asks-2', template: 'agent', prompt: 'Fix', wait: { for: 'text', value: 'took' } }
  expect(await call('create_session', waited)).toMatchObject({ met: false, prompt: { delivered: false } })
})

test('a prompt is not typed if the program never shows that it is ready', async () => {
  const template = { name: 'agent', command: 'echo loading; exec cat', prompt: { ready: 'never', fallback_ms: 300 } }
  const { call, screen } = await begin(template)
  const created = await call('create_session', { name: 'asks', template: 'agent', prompt: 'Fix the tests' })
  expect(created).toMatchObject({
    prompt: { delivered: false, reason: expect.stringContaining('was not ready'), screen: 'loading' },
  })
  expect(await screen()).toBe('loading')
})

test('a question that the template answers does not block the prompt', async () => {
  const questions = [
    { shows: '❯ 1. Yes\\b', keys: 'Down' },
    { shows: '❯ 2. Yes, and', keys: 'Enter' },
  ]
  const prompt = { ready: '^\\$', quiet_ms: 20, taken: 'entered' }
  const { call, screen } = await begin({ name: 'agent', ...menu('numbered'), questions, prompt })
  const created = await call('create_session', { name: 'asks', template: 'agent', prompt: 'Fix the tests' })
  expect(created).toMatchObject({ prompt: { delivered: true } })
  expect(await screen()).toContain('took Yes, and never ask again\n$ Fix the tests\nentered Fix the tests')
})

test('send_input to a waiting session is refused with the question and its choices, unless it is forced', async () => {
  const { startMenu, send, refusal, screen } = await begin()
  await startMenu()
  const sentence = await refusal({ text: 'No, stop.' })
  expect(sentence).toMatch(/"asks" waits for a person \(Shall I do it\?\)\. Nothing was typed\./)
  expect(sentence).toContain('1. Yes | 2. Yes, and never ask again | 3. No')
  expect(sentence).toContain('"force": true (--force)')
  expect(await refusal({ text: '' })).toContain('Nothing was typed')
  expect(await refusal({ text: '4', enter: false })).toContain('Nothing was typed')
  expect(await screen()).toContain('❯ 1. Yes')
  await send({ text: 'No, stop.', force: true })
  await expect.poll(screen, patience).toContain('took Yes')
})

test.each([
  ['its number', 'numbered', '3', 'No'],
  ['its label', 'numbered', 'yes, and never ask again', 'Yes, and never ask again'],
  ['its label in a menu without numbers', 'plain', 'No', 'No'],
  ['the number of the marked choice', 'numbered', '1', 'Yes'],
] as const)('send_input takes a choice by %s', async (_, style, text, taken) => {
  const { startMenu, send, screen } = await begin()
  await startMenu(style)
  await send({ text })
  await expect.poll(screen, patience).toContain(`took ${taken}\n`)
  // The session no longer waits and takes text again at once.
  await send({ text: 'go on' })
  await expect.poll(screen, patience).toContain('entered go on')
})

test('Enter is not pressed if the program does not show the typed text', async () => {
  const { call, refusal, send, sessions } = await begin()
  const command = `stty raw -echo; printf ready; while :; do head -c 1 >> keys; printf .; done`
  await call('create_session', { name: 'asks', command, wait: { for: 'text', value: 'ready' } })
  const keys = join((await sessions.find('asks')).workspacePath, 'keys')
  const sentence = await refusal({ text: 'abc' })
  expect(sentence).toMatch(/does not show it, so the hub did not press Enter/)
  expect(sentence).toContain('send_keys')
  await expect.poll(() => readFileSync(keys, 'utf8'), patience).toBe('abc')
  await send({ text: 'd', force: true })
  await expect.poll(() => readFileSync(keys, 'utf8'), patience).toBe('abcd\r')
})

test('a password is entered, because the terminal itself hides it', async () => {
  const { call, send, screen } = await begin()
  const command = `stty -echo; printf 'Password: '; read -r secret; echo; echo "$secret" | wc -c; cat`
  await call('create_session', { name: 'asks', command, wait: { for: 'text', value: 'Password' } })
  await send({ text: 'hunter2' })
  await expect.poll(screen, patience).toBe('Password:\n8')
})
