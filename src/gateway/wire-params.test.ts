import { expect, test } from 'vitest'
import { paramHeaders } from './wire-params.ts'

const schema = (mark: string) => ({ properties: { text: { type: 'string', 'x-mcp-header': mark } } })

test('an argument that is too long for a header fails the call, and names the argument', () => {
  expect(paramHeaders(schema('Text'), { text: 'short' })).toEqual({ 'Mcp-Param-Text': 'short' })
  expect(() => paramHeaders(schema('Text'), { text: 'é'.repeat(200_000) })).toThrow(
    '"text": the upstream wants this argument in a header, and a header may have 8192 characters at most.',
  )
})

test('a header whose name is too long is not sent', () => {
  expect(paramHeaders(schema('x'.repeat(10_000)), { text: 'short' })).toEqual(undefined)
})
