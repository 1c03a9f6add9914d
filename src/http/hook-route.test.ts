import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/fixtures/until.ts'
import { HubError } from '../base/hub-error.ts'
import { answerHook } from './hook-route.ts'

const held = Promise.withResolvers<object>()
const again = Promise.withResolvers<object>()
let taken = 0
const server = createServer((request, response) => {
  const caller = { role: 'agent', tokenId: 't1', session: 's1' } as const
  const onHook = async (_session: string, { body }: { readonly body: object }) => {
    taken += 1
    return 'text' in body ? again.promise : 'wait' in body ? held.promise : {}
  }
  answerHook({ path: '/hooks/a', request, response, caller, maxBodyBytes: 4_000_000, onHook }).catch((error: unknown) =>
    response.writeHead(error instanceof HubError ? 400 : 500).end(String(error)),
  )
})
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

async function post(body: string, signal: AbortSignal | null = null): Promise<string> {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, signal })
  return `${answer.status} ${await answer.text()}`
}

test.each([
  ['no object', '[1]', 'JSON object'],
  ['broken', '{', 'JSON object'],
  ['a key that much code takes for the prototype', '{"a":[{"\\u005f_proto__":{"command":"x"}}]}', '__proto__'],
  ['made of very many objects', `{"a":[${'{},'.repeat(300_000)}{}]}`, 'too much'],
  ['deep', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'levels'],
])('a body that is %s is refused before anybody judges it', async (_what, body, why) => {
  const before = taken
  expect(await post(body)).toMatch(new RegExp(`^400 .*${why}`))
  expect(taken).toBe(before)
})

test('a session cannot let more hooks wait than a hub can hold', async () => {
  const leaving = new AbortController()
  const before = taken
  const waiting = Array.from({ length: 256 }, () => post('{"wait":1}', leaving.signal).catch(() => 'gone'))
  await until(() => taken === before + 256)
  expect(await post('{}')).toMatch(/^400 .*256 hooks/)
  held.resolve({})
  await Promise.all(waiting)
  expect(await post('{}')).toBe('200 {}')
})

test('a session cannot let hooks wait with more bytes than a hub can hold', async () => {
  const leaving = new AbortController()
  const before = taken
  const body = JSON.stringify({ wait: 1, text: 'x'.repeat(3_900_000) })
  const waiting = Array.from({ length: 9 }, () => post(body, leaving.signal).catch(() => 'gone'))
  await until(() => taken === before + 9)
  expect(await post('{}')).toMatch(/^400 .*bytes wait/)
  again.resolve({})
  await Promise.all(waiting)
  expect(await post('{}')).toBe('200 {}')
})
