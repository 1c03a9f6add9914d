import { expect, test } from 'vitest'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { deliver } from './incoming.ts'
import { longestParsedAtOnce, longestUnasked, mostInBatch, mostValues } from './message-limits.ts'

const filler = 'x'.repeat(longestParsedAtOnce)
const answer = (id: number, result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const notice = (params: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`

test('a small message is passed on at once, a large one when a worker has parsed it', async () => {
  const heard = hearing()
  expect(deliver(answer(1, '{"a":1}'), heard)).toBe(true)
  const delivered = deliver(Buffer.from(answer(2, `{"text":"${filler}ü"}`)), heard, request(2, 'tools/call'))
  expect(heard.messages).toHaveLength(1)
  expect(await delivered).toBe(true)
  expect(await heard.result(2)).toEqual({ text: `${filler}ü` })
  expect(await deliver(notice(`{"text":"${filler}"}`), heard)).toBe(false)
})

test('numbers of a large message keep all their digits', async () => {
  const heard = hearing()
  const numbers = '[12345678901234567890,{"__proto__":1e400}]'
  await deliver(answer(1, `{"text":"${filler}","n":${numbers}}`), heard)
  const { n } = (await heard.result(1)) as { n: unknown }
  expect(JSON.stringify(n)).toBe(numbers)
})

test('a message with too many values is dropped, and its call is lost', async () => {
  const heard = hearing()
  expect(await deliver(answer(7, `[${'0,'.repeat(mostValues)}0]`), heard, request(7, 'tools/call'))).toBe(true)
  expect(heard.messages).toEqual([])
  expect(heard.losses).toHaveLength(1)
  expect(await deliver(answer(8, `[${'0,'.repeat(mostValues - 10)}"${filler}"]`), heard)).toBe(true)
})

test('a large message that is nested too deeply, or is not JSON, is dropped', async () => {
  const heard = hearing()
  await deliver(answer(1, `["${filler}",${'['.repeat(300)}${']'.repeat(300)}]`), heard)
  await deliver(`{"half": "${filler}`, heard)
  expect(heard.messages).toEqual([])
  expect(heard.noise[0]).toContain('nested deeper than 200 levels')
  expect(heard.noise[1]).toMatch(/^not JSON: \{"half": "xxx/)
})

test('only an answer may be longer than four megabytes', async () => {
  const heard = hearing()
  const text = JSON.stringify('x'.repeat(longestUnasked))
  await deliver(notice(`{"text":${text}}`), heard)
  await deliver(`[${notice(`{"text":${text}}`)}]`, heard)
  expect(heard.noise).toEqual([
    expect.stringContaining('a message that is not an answer'),
    expect.stringContaining('a message that is not an answer'),
  ])
  await deliver(answer(1, text), heard)
  expect(heard.answers(1)).toBe(1)
})

test('a batch with too many messages is dropped, and the calls that it answers are lost', async () => {
  const heard = hearing()
  const batch = (size: number) => `[${Array.from({ length: size }, (_, id) => answer(id, '{}')).join(',')}]`
  await deliver(batch(mostInBatch), heard)
  expect(heard.messages).toHaveLength(mostInBatch)
  await deliver(batch(mostInBatch + 1), heard)
  expect(heard.messages).toHaveLength(mostInBatch)
  expect(heard.losses).toHaveLength(mostInBatch + 1)
})
