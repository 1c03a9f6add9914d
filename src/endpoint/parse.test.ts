import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RpcError } from '../mcp/mcp.ts'
import { asBatch, asMessage, checkMessage, parseBody as parse } from './parse.ts'

const maxMembers = 20
const parseBody = (text: string) => parse(text, maxMembers)

function read(text: string) {
  const body = parseBody(text)
  return checkMessage(asMessage(body.json), body)
}

describe('a body', () => {
  test('is parsed as JSON.parse does, with any strings in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        expect(parseBody(JSON.stringify(value)).json).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is not deep when its brackets are inside strings', () => {
    const text = JSON.stringify({ a: '['.repeat(1000), b: '\\"{'.repeat(1000) })
    expect(parseBody(text).json).toEqual(JSON.parse(text))
  })

  test.each([
    ['100,000 levels of arrays', '['.repeat(100_000)],
    ['levels of both kinds', '{"a":['.repeat(60)],
  ])('is refused before it is parsed if it has %s', (_, text) => {
    expect(() => parseBody(text)).toThrow('nested deeper than 100')
  })

  test.each(['', '{', 'nul', '{"a":1}}', "{'a':1}"])('is refused if it is not JSON: %s', (text) => {
    expect(() => parseBody(text)).toThrow('not valid JSON')
  })
})

describe('a message with a number that a double cannot hold', () => {
  test.each(['1234567890123456789', '-1234567890123456789', '1e400'])('is refused if it is a request: %s', (number) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"id":${number}}}}`
    expect(() => read(text)).toThrow(expect.objectContaining({ code: -32602, status: 200 }))
    expect(() => read(text)).toThrow(`the number ${number} would lose digits`)
    expect(() => asBatch(parseBody(`[${text}]`))).toThrow('Send it as a string.')
  })

  test('is refused with a shortened quote of a long number', () => {
    const text = `{"jsonrpc":"2.0","method":"notifications/x","params":{"n":${'7'.repeat(5_000)}}}`
    expect(() => read(text)).toThrow(`the number ${'7'.repeat(40)}… would lose`)
  })

  test('counts as an error answer to a question of the hub', () => {
    const text = '{"jsonrpc":"2.0","id":"hub-1","result":{"content":{"id":1234567890123456789}}}'
    expect(read(text)).toMatchObject({ id: 'hub-1', error: { code: -32602 } })
  })

  test('is accepted if the number is a string', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"1234567890123456789","b":9007199254740991}}'
    expect(read(text)).toEqual(JSON.parse(text))
  })
})

describe('a message with the key "__proto__"', () => {
  const key = '"__proto__":{"force":true}'

  test.each([
    ['arguments', `{"arguments":{"dir":"x",${key}}}`],
    ['arguments, as an escape sequence', `{"arguments":{"dir":"x","\\u005f_proto__":1}}`],
    ['an array in the arguments', `{"arguments":{"list":[[{"deep":{${key}}}]]}}`],
    ['params', `{"name":"x",${key}}`],
    ['_meta', `{"_meta":{${key}}}`],
    ['inputResponses', `{"inputResponses":{"a":{"content":{${key}}}}}`],
  ])('is refused if it is a request with the key in %s', (_, params) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    expect(() => read(text)).toThrow(expect.objectContaining({ code: -32602, status: 200 }))
    expect(() => read(text)).toThrow('the key "__proto__" is not accepted')
    expect(() => asBatch(parseBody(`[${text}]`))).toThrow('"__proto__"')
  })

  test('counts as an error answer to a question of the hub', () => {
    const answer = read(`{"jsonrpc":"2.0","id":"hub-1","result":{"action":"accept","content":{${key}}}}`)
    expect(answer).toMatchObject({ id: 'hub-1', error: { code: -32602 } })
  })

  test('is accepted if the text is a value, and so are other property names of objects', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"__proto__","constructor":1,"toString":2}}'
    expect(JSON.stringify(read(text))).toBe(text)
  })
})

describe('a message with a progress token, which the hub repeats with each step,', () => {
  const withToken = (progressToken: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { _meta: { progressToken } } })

  test.each([['x'.repeat(10_000)], [{ text: 'x' }]])('is refused if the token is too long or an object', (token) => {
    expect(() => read(withToken(token))).toThrow('progressToken must be a number or a text of at most 8192 characters')
  })

  test.each([['x'.repeat(8_000)], [1.5], [null]])('is accepted with other tokens', (token) => {
    expect(() => read(withToken(token))).not.toThrow()
  })
})

describe('a message with too many members', () => {
  const withParams = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params })
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))

  test.each([
    ['keys', (count: number) => keys(count)],
    ['elements', (count: number) => ({ list: Array.from({ length: count - 1 }, () => 0) })],
    ['both, at all depths', (count: number) => ({ a: [{ b: keys(count - 5) }, [], 1] })],
  ])('is refused with an error that names the limit: %s', (_, paramsWith) => {
    expect(() => read(withParams(paramsWith(maxMembers)))).not.toThrow()
    const text = withParams(paramsWith(maxMembers + 1))
    expect(() => read(text)).toThrow(expect.objectContaining({ code: -32602, status: 200 }))
    expect(() => read(text)).toThrow(/may have 20 members.*max_call_members/)
  })

  test('is counted on its own in a batch', () => {
    const message = withParams(keys(maxMembers - 1))
    expect(asBatch(parseBody(`[${message},${message}]`))).toHaveLength(2)
  })
})

describe('a message', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 'a', method: 'ping', params: { _meta: {} } }],
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    [{ jsonrpc: '2.0', id: 1, result: {} }],
    [{ jsonrpc: '2.0', id: null, error: { code: -1, message: '' } }],
  ])('of the protocol is accepted: %j', (value) => {
    expect(asMessage(value)).toBe(value)
  })

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 'x'.repeat(257), method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1, method: 7 }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: 'x' } }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ jsonrpc: '2.0', result: {} }],
    [{ jsonrpc: '2.0', id: 1, error: { message: 'no code' } }],
  ])('that breaks the protocol is refused with 400: %j', (value) => {
    expect(() => asMessage(value)).toThrow(RpcError)
    expect(() => asMessage(value)).toThrow(/^Invalid request/)
  })
})
