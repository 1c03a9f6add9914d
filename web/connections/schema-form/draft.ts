/**
 * The text that a person has written into the fields, and the value that it means. Text that cannot be read is an error
 * at its field and never a value.
 */
import type { Field } from './field.ts'

/** Texts as they were typed. `undefined` in a switch or a group: not given. */
export type Draft =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'switch'; readonly on: boolean | undefined }
  | { readonly is: 'rows'; readonly rows: readonly Draft[] }
  | { readonly is: 'group'; readonly parts: Readonly<Record<string, Draft>> }

export interface Reading {
  /** Absent: nothing was given. */
  readonly value?: unknown
  /** By the path of the field. */
  readonly errors: Readonly<Record<string, string>>
}

/** The draft that shows a value, or the default of the schema. */
export function draftOf(field: Field, value: unknown = field.schema['default']): Draft {
  const { kind } = field
  switch (kind.is) {
    case 'text':
      return { is: 'text', text: typeof value === 'string' ? value : '' }
    case 'number':
      return { is: 'text', text: typeof value === 'number' ? String(value) : '' }
    case 'choice':
      return { is: 'text', text: chosenText(kind.choices, value, field.isRequired) }
    case 'json':
      return { is: 'text', text: value === undefined ? '' : JSON.stringify(value, null, 2) }
    case 'switch':
      return { is: 'switch', on: typeof value === 'boolean' ? value : field.isRequired ? false : undefined }
    case 'rows':
      return { is: 'rows', rows: Array.isArray(value) ? value.map((each) => draftOf(kind.item, each)) : [] }
    case 'group':
      return { is: 'group', parts: partsOf(kind.fields, value) }
  }
}

export function partsOf(fields: readonly Field[], value: unknown): Readonly<Record<string, Draft>> {
  const given = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      Object.hasOwn(given, field.name) ? draftOf(field, given[field.name]) : draftOf(field),
    ]),
  )
}

/** A choice is kept by its place in the list: choices may be numbers, or texts that look like them. */
function chosenText(choices: readonly unknown[], value: unknown, isRequired: boolean): string {
  const at = choices.indexOf(value)
  if (at >= 0) return String(at)
  return isRequired && choices.length === 1 ? '0' : ''
}

export function readDraft(field: Field, draft: Draft, path: string = field.name): Reading {
  const { kind, isRequired } = field
  switch (draft.is) {
    case 'switch':
      return draft.on === undefined ? { errors: {} } : { value: draft.on, errors: {} }
    case 'rows':
      return kind.is === 'rows' ? readRows(field, kind.item, draft.rows, path) : { errors: {} }
    case 'group': {
      if (kind.is !== 'group') return { errors: {} }
      const isEmpty = !isRequired && !Object.values(draft.parts).some(isGiven)
      return isEmpty ? { errors: {} } : readParts(kind.fields, draft.parts, `${path}.`)
    }
    case 'text':
      return readText(field, draft.text, path)
  }
}

export function readParts(
  fields: readonly Field[],
  parts: Readonly<Record<string, Draft>>,
  prefix = '',
): Reading & { readonly value: Readonly<Record<string, unknown>> } {
  const readings = fields.map((field) => {
    const draft = parts[field.name] ?? draftOf(field)
    return [field.name, readDraft(field, draft, prefix + field.name)] as const
  })
  return {
    value: Object.fromEntries(
      readings.flatMap(([name, reading]) => ('value' in reading ? [[name, reading.value]] : [])),
    ),
    errors: Object.assign({}, ...readings.map(([, { errors }]) => errors)) as Reading['errors'],
  }
}

function readRows(field: Field, item: Field, rows: readonly Draft[], path: string): Reading {
  if (rows.length === 0 && !field.isRequired) return { errors: {} }
  const readings = rows.map((row, index) => readDraft(item, row, `${path}.${index}`))
  const { minItems, maxItems } = field.schema
  const count =
    typeof minItems === 'number' && rows.length < minItems
      ? `Give at least ${minItems}.`
      : typeof maxItems === 'number' && rows.length > maxItems
        ? `Give at most ${maxItems}.`
        : undefined
  const errors = Object.assign({}, ...readings.map((reading) => reading.errors)) as Reading['errors']
  return {
    value: readings.map((reading) => reading.value),
    errors: count === undefined ? errors : { ...errors, [path]: count },
  }
}

function isGiven(draft: Draft): boolean {
  switch (draft.is) {
    case 'text':
      return draft.text !== ''
    case 'switch':
      return draft.on !== undefined
    case 'rows':
      return draft.rows.length > 0
    case 'group':
      return Object.values(draft.parts).some(isGiven)
  }
}

function readText(field: Field, text: string, path: string): Reading {
  const { kind, isRequired, schema } = field
  const wrong = (message: string): Reading => ({ errors: { [path]: message } })
  if (text === '') return isRequired ? wrong(askFor(field)) : { errors: {} }
  switch (kind.is) {
    case 'choice':
      return { value: kind.choices[Number(text)], errors: {} }
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown, errors: {} }
      } catch (error) {
        return wrong(`This is not JSON: ${error instanceof Error ? error.message : ''}`)
      }
    case 'number': {
      const value = Number(text)
      const error = text.trim() === '' || !Number.isFinite(value) ? 'This is not a number.' : numberError(field, value)
      return error === undefined ? { value, errors: {} } : wrong(error)
    }
    case 'text': {
      const { minLength, maxLength } = schema
      // JSON Schema counts code points.
      const { length } = Array.from(text)
      if (typeof minLength === 'number' && length < minLength) return wrong(`Give at least ${minLength} characters.`)
      if (typeof maxLength === 'number' && length > maxLength) {
        return wrong(`Give at most ${maxLength} characters; these are ${length}.`)
      }
      return { value: text, errors: {} }
    }
    case 'switch':
    case 'rows':
    case 'group':
      return { errors: {} }
  }
}

function numberError({ kind, schema }: Field, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isNumber = (limit: unknown): limit is number => typeof limit === 'number'
  if (kind.is === 'number' && kind.isWhole && !Number.isSafeInteger(value)) return 'Give a whole number.'
  if (isNumber(minimum) && value < minimum) return `Give ${minimum} or more.`
  if (isNumber(maximum) && value > maximum) return `Give ${maximum} or less.`
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) return `Give more than ${exclusiveMinimum}.`
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) return `Give less than ${exclusiveMaximum}.`
  if (isNumber(multipleOf) && multipleOf > 0 && !isMultiple(value, multipleOf))
    return `Give a multiple of ${multipleOf}.`
  return undefined
}

/** 0.3 is a multiple of 0.1, though not for floating point arithmetic. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times))
}

function askFor({ name, kind }: Field): string {
  if (kind.is === 'choice') return `Choose ${article(name)} ${name}.`
  return `Give ${article(name)} ${name}.`
}

function article(word: string): string {
  return /^[aeiou]/i.test(word) ? 'an' : 'a'
}
