import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asBatch, asMessage, parseBody, withExactNumbers } from './parse.ts'
import { RpcError } from './wire.ts'

describe('a body', () => {
  test('is parsed as JSON parses it, whatever strings it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        expect(parseBody(JSON.stringify(value)).json).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('with brackets inside strings is not deep', () => {
    const text = JSON.stringify({ a: '['.repeat(1000), b: '\\"{'.repeat(1000) })
    expect(parseBody(text).json).toEqual(JSON.parse(text))
  })

  test.each([
    ['100,000 levels of arrays', '['.repeat(100_000)],
    ['levels of both kinds', '{"a":['.repeat(60)],
  ])('%s are refused before they are parsed', (_, text) => {
    expect(() => parseBody(text)).toThrow('nested deeper than 100')
  })

  test.each(['', '{', 'nul', '{"a":1}}', "{'a':1}"])('that is no JSON is refused: %s', (text) => {
    expect(() => parseBody(text)).toThrow('not valid JSON')
  })
})

describe('a message with a number that a double cannot hold', () => {
  const read = (text: string) => {
    const body = parseBody(text)
    return withExactNumbers(asMessage(body.json), body)
  }

  test.each(['1234567890123456789', '-1234567890123456789', '1e400'])('is refused if it is a request: %s', (number) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"id":${number}}}}`
    expect(() => read(text)).toThrow(expect.objectContaining({ code: -32602, status: 200 }))
    expect(() => read(text)).toThrow(`the number ${number} would be changed on its way`)
    expect(() => asBatch(parseBody(`[${text}]`))).toThrow('Send it as a string.')
  })

  test('is quoted in short', () => {
    const text = `{"jsonrpc":"2.0","method":"notifications/x","params":{"n":${'7'.repeat(5_000)}}}`
    expect(() => read(text)).toThrow(`the number ${'7'.repeat(40)}… would be`)
  })

  test('answers no question of ours, and says why', () => {
    const text = '{"jsonrpc":"2.0","id":"hub-1","result":{"content":{"id":1234567890123456789}}}'
    expect(read(text)).toMatchObject({ id: 'hub-1', error: { code: -32602 } })
  })

  test('passes if it writes the number as a string', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"1234567890123456789","b":9007199254740991}}'
    expect(read(text)).toEqual(JSON.parse(text))
  })
})

describe('a message', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 'a', method: 'ping', params: { _meta: {} } }],
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    [{ jsonrpc: '2.0', id: 1, result: {} }],
    [{ jsonrpc: '2.0', id: null, error: { code: -1, message: '' } }],
  ])('of the protocol passes: %j', (value) => {
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
  ])('that breaks it is refused with 400: %j', (value) => {
    expect(() => asMessage(value)).toThrow(RpcError)
    expect(() => asMessage(value)).toThrow(/^Invalid request/)
  })
})
