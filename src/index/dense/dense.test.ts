/** The search by vectors, with a server over HTTP that knows which words mean the same. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createScratch, environment, quietLog, writeFiles } from '../../../test/fixtures/repository-index.ts'
import { openRepositoryIndexes } from '../index.ts'

const meanings = [/car|automobile|vehicle/i, /fruit|apple|banana/i, /rain|weather|storm/i]
const requests: { model: string; input: readonly string[]; authorization: string | undefined }[] = []
let isBroken = false
const server = createServer((request, response) => void answer(request, response))
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, input } = (await json(request)) as { model: string; input: string[] }
  requests.push({ model, input, authorization: request.headers.authorization })
  response.writeHead(isBroken || request.url !== '/v1/embeddings' ? 503 : 200, { 'content-type': 'application/json' })
  const data = input.map((text, index) => ({ index, embedding: meanings.map((each) => (each.test(text) ? 1 : 0.01)) }))
  response.end(JSON.stringify({ data: data.toReversed() }))
}
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

const scratch = createScratch()
const indexes = openRepositoryIndexes({
  directory: join(scratch.path, 'indexes'),
  env: environment,
  log: quietLog,
  embeddings: { url, model: 'tiny', key: 'secret-key' },
})
afterAll(async () => {
  await indexes[Symbol.asyncDispose]()
  server.close()
  scratch[Symbol.dispose]()
})

test('finds code by meaning, asks for each text once, and continues with words when the server is down', async () => {
  const root = scratch.repository({
    'a.ts': 'export const automobile = 1\n',
    'b.ts': 'export const banana = 1\n',
    'c.ts': 'export const storm = 1\n',
  })
  const source = { id: 'dense', root }
  const find = async (query: string) =>
    (await indexes.search(source, { query, mode: 'lexical', limit: 1 })).map(({ path }) => path)
  const finish = () => expect.poll(async () => (await indexes.status(source)).progress).toBeUndefined()

  await indexes.refresh(source)
  await finish()
  expect(await find('vehicle')).toEqual(['a.ts'])
  expect(await find('fruit')).toEqual(['b.ts'])
  expect(new Set(requests.map(({ authorization, model }) => `${model} ${authorization}`))).toEqual(
    new Set(['tiny Bearer secret-key']),
  )

  requests.length = 0
  writeFiles(root, { 'c.ts': 'export const weather = 1\n' })
  await indexes.refresh(source)
  await finish()
  expect(requests.flatMap(({ input }) => input)).toEqual(['c.ts weather\nexport const weather = 1\n'])
  expect(await find('rain')).toEqual(['c.ts'])

  isBroken = true
  expect(await find('banana')).toEqual(['b.ts'])
  expect(await find('fruit')).toEqual([])
  const status = await indexes.status(source)
  expect(status).toMatchObject({
    is: 'ready',
    last_error: 'The embeddings server cannot be used: the server answers 503. The search uses words only.',
  })
  expect(JSON.stringify(status)).not.toContain('secret-key')
})
