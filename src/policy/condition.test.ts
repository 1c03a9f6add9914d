import { expect, test } from 'vitest'
import { createConditionCompiler } from './condition.ts'
import { DocumentFault } from './document-fault.ts'

const compile = (schema: Record<string, unknown>) => createConditionCompiler()(schema, ['when'])

async function fault(schema: Record<string, unknown>): Promise<string> {
  try {
    await compile(schema)
  } catch (error) {
    if (error instanceof DocumentFault) return `${error.path.join('/')}: ${error.message}`
  }
  throw new Error('it was not refused')
}

test('checks arguments by JSON Schema 2020-12', async () => {
  const condition = await compile({
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

test('does not treat inherited properties as arguments', async () => {
  expect((await compile({ required: ['constructor'] })).holds({})).toBe(false)
  expect((await compile({ properties: { toString: false } })).holds({})).toBe(true)
  const args = JSON.parse('{"__proto__": 1}') as Record<string, unknown>
  expect((await compile({ required: ['__proto__'] })).holds(args)).toBe(true)
})

test('does not change the arguments', async () => {
  const args = Object.freeze({ n: '3' })
  const condition = await compile({ properties: { n: { type: 'number' }, other: { default: 7 } } })
  condition.holds(args)
  expect(args).toEqual({ n: '3' })
})

test('follows references within the condition', async () => {
  const condition = await compile({
    $defs: { prod: { const: 'prod' }, repo: { $ref: '#/$defs/prod', type: 'string' }, 'a/b': { type: 'number' } },
    properties: { repo: { $ref: '#/$defs/repo' }, n: { $ref: '#/$defs/a~1b' }, $ref: { type: 'string' } },
    required: ['repo'],
  })
  expect(condition.holds({ repo: 'prod', n: 1, $ref: 'a name like any other' })).toBe(true)
  expect(condition.holds({ repo: 'docs' })).toBe(false)
  expect(condition.holds({ repo: 'prod', n: 'one' })).toBe(false)
  expect(condition.holds({ repo: 'prod', $ref: 3 })).toBe(false)
})

test('refuses a reference that could run for ever or leave the document', async () => {
  expect(await fault({ properties: { a: { $ref: '#' } } })).toMatch(
    /^when\/properties\/a\/\$ref: .*leads back to itself/,
  )
  expect(await fault({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' })).toMatch(
    /leads back/,
  )
  expect(await fault({ $ref: 'https://example.com/schema' })).toMatch(/same condition/)
  expect(await fault({ $ref: '#/$defs/none' })).toMatch(/there is nothing at #\/\$defs\/none/)
  expect(await fault({ $ref: '#/%zz' })).toMatch(/there is nothing at/)
  expect(await fault({ $dynamicRef: '#x' })).toMatch(/\$dynamicRef/)
  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `a${n}`,
      { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
    ]),
  )
  expect(await fault({ $defs: { ...doubling, a20: {} }, $ref: '#/$defs/a0' })).toMatch(
    /too large with its references expanded/,
  )
})

test('refuses a condition that would return a promise and so always be true', async () => {
  expect(await fault({ $async: true, properties: { a: { const: 1 } } })).toMatch(/\$async/)
})

test('refuses keywords and formats that are misspelt, unknown or silently ignored elsewhere', async () => {
  expect(await fault({ propertees: {} })).toMatch(/unknown keyword: "propertees"/)
  expect(await fault({ properties: { a: { type: 'strin' } } })).toMatch(
    /^when\/properties\/a\/type: "when" is not a JSON Schema/,
  )
  expect(await fault({ properties: { a: { format: 'email' } } })).toMatch(/format "email" is not supported/)
  expect(await fault({ required: 'repo' })).toMatch(/^when\/required: /)
})

test('no pattern and no text makes a match take exponential time', async () => {
  const condition = await compile({
    properties: { a: { pattern: '^(a+)+$' } },
    patternProperties: { '^(b|b)*$': false },
  })
  expect(condition.holds({ a: 'a'.repeat(50_000) })).toBe(true)
  expect(condition.holds({ a: `${'a'.repeat(50_000)}!` })).toBe(false)
  expect(condition.holds({ bbbb: 1 })).toBe(false)
  expect(condition.holds({ [`${'b'.repeat(50_000)}!`]: 1 })).toBe(true)
  expect(await fault({ properties: { a: { pattern: '(a)\\1' } } })).toMatch(/RE2 kind/)
  expect(await fault({ properties: { a: { pattern: 'x'.repeat(1_001) } } })).toMatch(/at most 1000/)
})

test('keeps two patterns in one condition apart', async () => {
  const condition = await compile({ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } })
  expect(condition.holds({ a: 'x', b: 'y' })).toBe(true)
  expect(condition.holds({ a: 'x', b: 'x' })).toBe(false)
})

test('refuses to compare all items of a list with all others', async () => {
  expect(await fault({ properties: { a: { uniqueItems: true } } })).toMatch(/uniqueItems/)
})

test('a condition knows which arguments it depends on', async () => {
  const depends = async (schema: Record<string, unknown>, name: string) => (await compile(schema)).dependsOn(name)
  expect(await depends({ properties: { repo: { const: 'prod' } } }, 'repo')).toBe(true)
  expect(await depends({ properties: { repo: { const: 'prod' } } }, 'token')).toBe(false)
  expect(await depends({ required: ['token'] }, 'token')).toBe(false)
  expect(await depends({ not: { anyOf: [{ properties: { token: { minLength: 3 } } }] } }, 'token')).toBe(true)
  expect(await depends({ dependentSchemas: { a: { properties: { token: { minLength: 3 } } } } }, 'token')).toBe(true)
  expect(await depends({ $defs: { t: { properties: { token: { minLength: 3 } } } }, $ref: '#/$defs/t' }, 'token')).toBe(
    true,
  )
  expect(await depends({ additionalProperties: { type: 'string' } }, 'token')).toBe(true)
  expect(await depends({ additionalProperties: false }, 'token')).toBe(false)
  expect(await depends({ enum: [{ a: 1 }] }, 'token')).toBe(true)
})
