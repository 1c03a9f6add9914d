import { expect, test } from 'vitest'
import { createConditionCompiler } from './condition.ts'
import { DocumentFault } from './document.ts'

const compile = (schema: Record<string, unknown>) => createConditionCompiler()(schema, ['when'])

function fault(schema: Record<string, unknown>): string {
  try {
    compile(schema)
  } catch (error) {
    if (error instanceof DocumentFault) return `${error.path.join('/')}: ${error.message}`
  }
  throw new Error('it was not refused')
}

test('judges arguments by JSON Schema 2020-12', () => {
  const condition = compile({
    properties: { repo: { enum: ['prod', 'live'] }, files: { prefixItems: [{ type: 'string' }], items: false } },
    required: ['repo'],
    dependentRequired: { files: ['branch'] },
  })
  expect(condition.holds({ repo: 'prod' })).toBe(true)
  expect(condition.holds({ repo: 'docs' })).toBe(false)
  expect(condition.holds({})).toBe(false)
  expect(condition.holds({ repo: 'live', files: ['a'], branch: 'main' })).toBe(true)
  expect(condition.holds({ repo: 'live', files: ['a'] })).toBe(false)
  expect(condition.holds({ repo: 'live', files: ['a', 'b'], branch: 'main' })).toBe(false)
})

test('what every object inherits is no argument', () => {
  expect(compile({ required: ['constructor'] }).holds({})).toBe(false)
  expect(compile({ properties: { toString: false } }).holds({})).toBe(true)
  const args = JSON.parse('{"__proto__": 1}') as Record<string, unknown>
  expect(compile({ required: ['__proto__'] }).holds(args)).toBe(true)
})

test('arguments are left as they came', () => {
  const args = Object.freeze({ n: '3' })
  compile({ properties: { n: { type: 'number' }, other: { default: 7 } } }).holds(args)
  expect(args).toEqual({ n: '3' })
})

test('references within the condition are followed', () => {
  const condition = compile({
    $defs: { prod: { const: 'prod' }, repo: { $ref: '#/$defs/prod', type: 'string' }, 'a/b': { type: 'number' } },
    properties: { repo: { $ref: '#/$defs/repo' }, n: { $ref: '#/$defs/a~1b' }, $ref: { type: 'string' } },
    required: ['repo'],
  })
  expect(condition.holds({ repo: 'prod', n: 1, $ref: 'a name like any other' })).toBe(true)
  expect(condition.holds({ repo: 'docs' })).toBe(false)
  expect(condition.holds({ repo: 'prod', n: 'one' })).toBe(false)
  expect(condition.holds({ repo: 'prod', $ref: 3 })).toBe(false)
})

test('a reference that could run for ever, or leave the document, is refused', () => {
  expect(fault({ properties: { a: { $ref: '#' } } })).toMatch(/^when\/properties\/a\/\$ref: .*leads back to itself/)
  expect(fault({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })).toMatch(
    /leads back/,
  )
  expect(fault({ $ref: 'https://example.com/schema' })).toMatch(/same condition/)
  expect(fault({ $ref: '#/$defs/none' })).toMatch(/there is nothing at #\/\$defs\/none/)
  expect(fault({ $ref: '#/%zz' })).toMatch(/there is nothing at/)
  expect(fault({ $dynamicRef: '#x' })).toMatch(/\$dynamicRef/)
  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `a${n}`,
      { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
    ]),
  )
  expect(fault({ $defs: { ...doubling, a20: {} }, $ref: '#/$defs/a0' })).toMatch(/more than 5000 parts/)
})

test('a condition that would be a promise, and so always true, is refused', () => {
  expect(fault({ $async: true, properties: { a: { const: 1 } } })).toMatch(/\$async/)
})

test('what is misspelt, unknown or quietly ignored elsewhere is refused here', () => {
  expect(fault({ propertees: {} })).toMatch(/unknown keyword: "propertees"/)
  expect(fault({ properties: { a: { type: 'strin' } } })).toMatch(
    /^when\/properties\/a\/type: "when" is no JSON Schema/,
  )
  expect(fault({ properties: { a: { format: 'email' } } })).toMatch(/format "email" is not known here/)
  expect(fault({ required: 'repo' })).toMatch(/^when\/required: /)
})

test('patterns cannot run away, whatever the pattern and the text', () => {
  const condition = compile({ properties: { a: { pattern: '^(a+)+$' } }, patternProperties: { '^(b|b)*$': false } })
  expect(condition.holds({ a: 'a'.repeat(50_000) })).toBe(true)
  expect(condition.holds({ a: `${'a'.repeat(50_000)}!` })).toBe(false)
  expect(condition.holds({ bbbb: 1 })).toBe(false)
  expect(condition.holds({ [`${'b'.repeat(50_000)}!`]: 1 })).toBe(true)
  expect(fault({ properties: { a: { pattern: '(a)\\1' } } })).toMatch(/RE2 kind/)
  expect(fault({ properties: { a: { pattern: 'x'.repeat(1_001) } } })).toMatch(/at most 1000/)
})

test('two patterns in one condition are two', () => {
  const condition = compile({ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } })
  expect(condition.holds({ a: 'x', b: 'y' })).toBe(true)
  expect(condition.holds({ a: 'x', b: 'x' })).toBe(false)
})

test('comparing all items of a list with all others is refused', () => {
  expect(fault({ properties: { a: { uniqueItems: true } } })).toMatch(/uniqueItems/)
})

test('a condition knows which arguments it looks at', () => {
  const looks = (schema: Record<string, unknown>, name: string) => compile(schema).looksAt(name)
  expect(looks({ properties: { repo: { const: 'prod' } } }, 'repo')).toBe(true)
  expect(looks({ properties: { repo: { const: 'prod' } } }, 'token')).toBe(false)
  expect(looks({ required: ['token'] }, 'token')).toBe(false)
  expect(looks({ not: { anyOf: [{ properties: { token: { minLength: 3 } } }] } }, 'token')).toBe(true)
  expect(looks({ dependentSchemas: { a: { properties: { token: { minLength: 3 } } } } }, 'token')).toBe(true)
  expect(looks({ $defs: { t: { properties: { token: { minLength: 3 } } } }, $ref: '#/$defs/t' }, 'token')).toBe(true)
  expect(looks({ additionalProperties: { type: 'string' } }, 'token')).toBe(true)
  expect(looks({ additionalProperties: false }, 'token')).toBe(false)
  expect(looks({ enum: [{ a: 1 }] }, 'token')).toBe(true)
})
