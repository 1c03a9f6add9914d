import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Relay } from './definitions.ts'
import { define } from './definitions.ts'
import { noLists } from './mount-lists.ts'

const options = {
  mount: 'files',
  connector: 'files',
  route: 'mcp:stdio',
  hasPrefix: true,
  mayBeBare: false,
  relay: {} as Relay,
}

function matches(uriTemplate: string, uri: string): boolean | undefined {
  const { templates } = define({ ...noLists, resourceTemplates: [{ name: 'one', uriTemplate }] }, options)
  return templates[0]?.matches?.(uri)
}

test.each([
  ['file:///{path}', 'file:///a/b', true],
  ['file:///{path}', 'http://a', false],
  ['db://{table}/rows/{id}', 'db://users/rows/7', true],
  ['db://{table}/rows/{id}', 'db://users/columns/7', false],
  ['a{b', 'a{b', true],
  ['a}b{c}d', 'a}bxd', true],
  ['{a}{b}', '', true],
  ['ab{x}ba', 'aba', false],
])('whether the template %s matches %s is %s', (template, uri, expected) => {
  expect(matches(template, uri)).toBe(expected)
})

test('the fixed parts of a template are the texts around its braces', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{', '}', 'a', 'b', '/')), (characters) => {
      const template = `x${characters.join('')}`
      expect(matches(template, template.replaceAll(/\{[^}]*\}/g, 'value'))).toBe(true)
    }),
  )
})

test('entries with names that are too long, or with too many names, are left out and counted', () => {
  const tool = (name: string) => ({ name, inputSchema: {} })
  const { tools, tooLong } = define({ ...noLists, tools: [tool('a'.repeat(257)), tool('b'.repeat(256))] }, options)
  expect([tools.length, tooLong]).toEqual([1, 1])
  const many = Array.from({ length: 20_000 }, (_, count) => tool(`${count}${'Äb-'.repeat(80)}`))
  const most = define({ ...noLists, tools: many }, options)
  expect(most.tools.length).toBeGreaterThan(4_000)
  expect(most.tools.length + most.tooLong).toBe(20_000)
  const uri = `a:${'b'.repeat(5_000)}`
  expect(define({ ...noLists, resources: [{ uri, name: 'x' }] }, options)).toMatchObject({ resources: [], tooLong: 1 })
})

test('a template of many braces is read like any other, and one that is too long is left out', () => {
  expect(matches('{'.repeat(4_096), 'file:///a')).toBe(false)
  expect(matches(`${'{a}'.repeat(1_300)}/`, 'file:///a/')).toBe(true)
  expect(matches('{'.repeat(1_000_000), 'file:///a')).toBeUndefined()
})

test('a URI that is too long to search matches no template', () => {
  expect(matches('a{b}', `a${'b'.repeat(1_000)}`)).toBe(true)
  expect(matches('a{b}', `a${'b'.repeat(100_000)}`)).toBe(false)
})
