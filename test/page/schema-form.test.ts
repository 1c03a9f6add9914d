import { describe, expect, test } from 'vitest'
import { type Draft, partsOf, readParts } from '../../web/connections/schema-form/draft.ts'
import { fieldsOf } from '../../web/connections/schema-form/field.ts'

const schema = {
  type: 'object',
  required: ['repo', 'title', 'reviewers'],
  properties: {
    repo: { type: 'string' },
    title: { type: 'string', maxLength: 10 },
    count: { type: ['integer', 'null'], minimum: 1, maximum: 5 },
    ratio: { type: 'number', multipleOf: 0.1 },
    draft: { type: 'boolean' },
    state: { anyOf: [{ const: 'open' }, { const: 'closed' }] },
    reviewers: { type: 'array', maxItems: 2, items: { $ref: '#/$defs/reviewer' } },
    more: { type: 'object', additionalProperties: true },
  },
  $defs: {
    reviewer: {
      type: 'object',
      required: ['login'],
      properties: { login: { type: 'string' }, kind: { enum: [1, '1'] } },
    },
  },
}
const fields = fieldsOf(schema)
const text = (words: string): Draft => ({ is: 'text', text: words })
const read = (given: Readonly<Record<string, Draft>>) => readParts(fields, { ...partsOf(fields, {}), ...given })

test('fields have their kinds, and their types and limits by the label', () => {
  expect(fields.map(({ name, kind, isRequired, note }) => [name, kind.is, isRequired, note])).toEqual([
    ['repo', 'text', true, 'string'],
    ['title', 'text', true, 'string, at most 10'],
    ['count', 'number', false, 'integer, from 1, to 5'],
    ['ratio', 'number', false, 'number, multiple of 0.1'],
    ['draft', 'switch', false, 'boolean'],
    ['state', 'choice', false, 'choice'],
    ['reviewers', 'rows', true, 'array of objects, at most 2'],
    ['more', 'json', false, 'JSON'],
  ])
})

test('a schema that refers to itself ends in a field for JSON', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#' } } }
  expect(JSON.stringify(fieldsOf(tree))).toContain('"json"')
})

test('given values are read, and the others are left out', () => {
  const value = {
    repo: 'a',
    title: 'b',
    count: 3,
    ratio: 0.3,
    draft: false,
    state: 'closed',
    reviewers: [],
    more: { x: [1] },
  }
  expect(readParts(fields, partsOf(fields, value))).toEqual({ value, errors: {} })
  const { value: least, errors } = read({ repo: text('a'), title: text('b') })
  expect(errors).toEqual({})
  expect(least).toEqual({ repo: 'a', title: 'b', reviewers: [] })
})

describe('a text that cannot be read is an error at its field and not a value', () => {
  test.each([
    [{ title: text('12345678901') }, 'title', 'Give at most 10 characters; these are 11.'],
    [{ title: text('') }, 'title', 'Give a title.'],
    [{ count: text('1.5') }, 'count', 'Give a whole number.'],
    [{ count: text('6') }, 'count', 'Give 5 or less.'],
    [{ count: text('0') }, 'count', 'Give 1 or more.'],
    [{ count: text('many') }, 'count', 'This is not a number.'],
    [{ ratio: text('0.25') }, 'ratio', 'Give a multiple of 0.1.'],
    [{ more: text('{"x":') }, 'more', expect.stringMatching(/^This is not JSON/)],
  ] satisfies readonly (readonly [Readonly<Record<string, Draft>>, string, unknown])[])('%j', (given, path, words) => {
    const { value, errors } = read({ repo: text('a'), title: text('b'), ...given })
    expect(errors).toEqual({ [path]: words })
    expect(value).not.toHaveProperty(path)
  })

  test('an error in a row names the place of the row', () => {
    const row = (login: string): Draft => ({ is: 'group', parts: { login: text(login), kind: text('1') } })
    const rows = (...logins: readonly string[]) =>
      read({ repo: text('a'), title: text('b'), reviewers: { is: 'rows', rows: logins.map(row) } })
    expect(rows('anna').value['reviewers']).toEqual([{ login: 'anna', kind: '1' }])
    expect(rows('anna', '').errors).toEqual({ 'reviewers.1.login': 'Give a login.' })
    expect(rows('anna', 'ben', 'cleo').errors).toEqual({ reviewers: 'Give at most 2.' })
  })
})
