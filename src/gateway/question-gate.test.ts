import { expect, test } from 'vitest'
import type { Gate, GateRequest } from '../gate/gate.ts'
import type { Call, InputRequest } from '../mcp/mcp.ts'
import { createQuestionGate } from './question-gate.ts'

const { signal } = new AbortController()
const call = { correlation: 'c1', event: 'e1', caller: { tokenId: 't1', session: 's1' } } as unknown as Call
const elicitation: InputRequest = { method: 'elicitation/create', params: { message: 'Sure?' } }

function open() {
  const asked: GateRequest[] = []
  const gate = {
    placeOf: () => undefined,
    async authorize(request: GateRequest) {
      asked.push(request)
      return { status: 'allowed', end() {} }
    },
  } as unknown as Gate
  const place = { mount: 'up', connector: 'alpha', route: 'mcp' }
  return { asked, questions: createQuestionGate(gate, 's1').ofMount(place) }
}

test('questions are limited in number, whatever becomes of them, and a flood is refused before it is recorded', async () => {
  const { asked, questions } = open()
  const withdrawn = AbortSignal.abort()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 2_000 }, () => questions.authorize(elicitation, call, withdrawn)),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(1_500)
  expect(refused[0]).toMatchObject({ reason: { code: -32005, message: expect.stringContaining('120 in a minute') } })
  expect(asked.length + refused.length).toBe(2_000)
})

test('questions are limited in bytes', async () => {
  const { asked, questions } = open()
  const large: InputRequest = { ...elicitation, params: { message: 'x'.repeat(1024 * 1024) } }
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => questions.authorize(large, call, signal)))
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(40)
  expect(asked.length).toBeLessThan(20)
})

test('a question is decided under the name of its mount, as a part of its call', async () => {
  const { asked, questions } = open()
  const params = { message: 'Sure?', _meta: { a: 1 } }
  const { question } = await questions.authorize({ method: 'elicitation/create', params }, call, signal)
  expect(asked).toMatchObject([
    { session: 's1', tool: 'up_elicitation', upstream: 'alpha', correlation: 'c1', parent: 'e1' },
  ])
  expect(asked[0]?.arguments).toEqual({ message: 'Sure?' })
  expect(question.params).toEqual({
    message: '[connector alpha] Sure?',
    _meta: { a: 1, 'io.signalbox/connector': 'alpha' },
  })
})

test('roots are not decided and not changed', async () => {
  const { asked, questions } = open()
  const roots: InputRequest = { method: 'roots/list' }
  expect((await questions.authorize(roots, call, signal)).question).toBe(roots)
  expect(asked).toEqual([])
})

test.each([
  { mode: 'url', message: 'Log in.', url: 'javascript:alert(1)' },
  { mode: 'URL', message: 'Log in.', url: 'https://a.example' },
  { mode: 'url', message: 'Log in.' },
  { message: 'Log in.', url: 'data:text/html,x' },
  { message: { text: 'Log in.' } },
  {},
])('an elicitation with %j is refused before it is decided', async (params) => {
  const { asked, questions } = open()
  const outcome = questions.authorize({ method: 'elicitation/create', params }, call, signal)
  await expect(outcome).rejects.toMatchObject({ code: -32602 })
  expect(asked).toEqual([])
})
