/** Calls of 2026-07-28 that need input from their client first. The hub seals the state between the rounds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from './exchange.ts'
import { modern } from './modern-request.ts'
import { faultsIn, type OwnHub, startOwnHub } from '../worlds/own-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const confirmed = { confirm: { action: 'accept', content: { ok: true } } }
const tool = 'test_input_required_result_request_state'

test('a call that needs an answer asks for it, and completes when it is repeated with the answer', async () => {
  const first = await call(tool)
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject({
    result: {
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create', params: { message: expect.any(String) } } },
      requestState: expect.any(String),
    },
  })
  const second = await call(tool, { requestState: stateOf(first), inputResponses: confirmed })
  expect(second.body).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'state-ok' }] } })
})

test('a repeated call without its state starts again, even with answers', async () => {
  const { body } = await call(tool, { inputResponses: confirmed })
  expect(body).toMatchObject({ result: { resultType: 'input_required' } })
})

test('each round has its own state, which survives a restart of the hub', async () => {
  const name = 'test_input_required_result_multi_round'
  const first = await call(name)
  const accept = (content: object) => ({ action: 'accept', content })
  await hub.restart('SIGKILL')
  const second = await call(name, { requestState: stateOf(first), inputResponses: { step1: accept({ name: 'Ada' }) } })
  expect(second.body).toMatchObject({ result: { resultType: 'input_required', inputRequests: { step2: {} } } })
  expect(stateOf(second)).not.toBe(stateOf(first))
  const third = await call(name, { requestState: stateOf(second), inputResponses: { step2: accept({ color: 'red' }) } })
  expect(third.body).toMatchObject({ result: { content: [{ text: 'Ada likes red.' }] } })
})

describe('a state', () => {
  test.each([
    ['changed in one character', (state: string) => flip(state, Math.floor(state.length / 2))],
    // Not the last character: some of its bits are beyond the end of the last byte.
    ['changed at its end', (state: string) => flip(state, state.length - 2)],
    ['cut short', (state: string) => state.slice(0, -4)],
    ['made up', () => Buffer.from(JSON.stringify({ state: { asked: 'confirm' } })).toString('base64url')],
    ['empty', () => ''],
    ['a number', () => 5],
    ['an object', () => ({ asked: 'confirm' })],
    ['null', () => null],
  ])('is refused with -32602 if it is %s', async (_, change) => {
    const requestState = change(stateOf(await call(tool)))
    expectRefused(await call(tool, { requestState, inputResponses: confirmed }))
  })

  test('is refused with -32602 from another token', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const requestState = stateOf(await call(tool))
    expectRefused(await call(tool, { requestState, inputResponses: confirmed }, String(token)))
  })

  test('is refused with -32602 for another tool or another method', async () => {
    const requestState = stateOf(await call(tool))
    expectRefused(await call('test_input_required_result_tampered_state', { requestState, inputResponses: confirmed }))
    const params = { name: 'test_input_required_result_prompt', requestState, inputResponses: confirmed }
    expectRefused(await modern(hub, 'prompts/get', params, { capabilities }))
    expectRefused(await modern(hub, 'resources/read', { uri: 'test://static-text', requestState }, { capabilities }))
  })
})

test('a client without the needed capabilities gets an error that names only those it lacks', async () => {
  const name = 'test_input_required_result_multiple_inputs'
  const { status, body } = await modern(hub, 'tools/call', { name }, { capabilities: { sampling: {} } })
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { elicitation: {}, roots: {} } } },
  })
  const { error } = body as { error: { data: { requiredCapabilities: object } } }
  expect(error.data.requiredCapabilities).not.toHaveProperty('sampling')
})

function call(name: string, more: object = {}, token?: string): Promise<Answer> {
  return modern(
    hub,
    'tools/call',
    { name, arguments: {}, ...more },
    { capabilities, ...(token !== undefined && { token }) },
  )
}

function stateOf({ body }: Answer): string {
  return (body as { result: { requestState: string } }).result.requestState
}

function expectRefused({ body }: Answer): void {
  expect(body).toMatchObject({ error: { code: -32602, message: expect.stringContaining('requestState') } })
}

function flip(text: string, index: number): string {
  const other = text[index] === 'A' ? 'B' : 'A'
  return text.slice(0, index) + other + text.slice(index + 1)
}
