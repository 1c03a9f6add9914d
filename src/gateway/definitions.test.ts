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
])('the template %s and %s: %s', (template, uri, expected) => {
  expect(matches(template, uri)).toBe(expected)
})

test('the fixed parts of a template are what stands around its braces', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{', '}', 'a', 'b', '/')), (characters) => {
      const template = `x${characters.join('')}`
      expect(matches(template, template.replaceAll(/\{[^}]*\}/g, 'value'))).toBe(true)
    }),
  )
})

// With the square of their number this would take minutes, and the runner would end it.
test('a template of a million braces is read like any other', () => {
  expect(matches('{'.repeat(1_000_000), 'file:///a')).toBe(false)
  expect(matches(`${'{a}'.repeat(300_000)}/`, 'file:///a/')).toBe(true)
})

test('a URI too long to be looked through is described by no template', () => {
  expect(matches('a{b}', `a${'b'.repeat(1_000)}`)).toBe(true)
  expect(matches('a{b}', `a${'b'.repeat(100_000)}`)).toBe(false)
})
