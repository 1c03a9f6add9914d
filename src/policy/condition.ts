/**
 * `when`: JSON Schema 2020-12 on the arguments of a call, compiled once. The one place that imports ajv; it is loaded when
 * some rule has a condition. Time grows with schema times arguments and no faster, whoever wrote either: patterns run on
 * an engine without backtracking, references are written out beforehand, and what compares all with all is refused.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { messageOf } from '../base/hub-error.ts'
import { DocumentFault } from './document.ts'
import type { Path } from './document.ts'
import type { Condition } from './policy.ts'
import { unfoldSchema } from './unfold-schema.ts'
import type { Schema } from './unfold-schema.ts'
import { namesLookedAt } from './names-looked-at.ts'

/** Throws a `DocumentFault` below `path` where the schema is wrong. */
export type ConditionCompiler = (schema: Schema, path: Path) => Condition

/** Each takes a moment to compile, and the hub stands still meanwhile. */
const maxConditions = 500
const maxPatternLength = 1_000

/** Knows what a schema looks like; that takes a while to learn, and is learnt once. */
const metaschema = new Ajv2020({ logger: false })

export function createConditionCompiler(): ConditionCompiler {
  // One for each document, so that it goes when the document goes.
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    // A misspelt keyword would be a condition that always holds.
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // "constructor" is no argument that came with the call.
    ownProperties: true,
    addUsedSchema: false,
    validateFormats: true,
    code: { regExp: Object.assign(linearPattern, { code: '' }) },
    logger: false,
  })
  const compiled = new Map<string, Condition>()
  return (schema, path) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known) return known
    if (compiled.size >= maxConditions) {
      throw new DocumentFault(path, `is the ${maxConditions + 1}th condition, and at most ${maxConditions} are taken`)
    }
    const condition = compileCondition(ajv, unfoldSchema(schema, path), path)
    compiled.set(text, condition)
    return condition
  }
}

function compileCondition(ajv: Ajv2020, schema: Schema, path: Path): Condition {
  if (!metaschema.validateSchema(schema)) {
    const [fault] = metaschema.errors ?? []
    const below = fault?.instancePath.split('/').slice(1) ?? []
    throw new DocumentFault([...path, ...below], `"when" is no JSON Schema: ${below.at(-1) ?? 'it'} ${fault?.message}`)
  }
  const validate = compileSchema(ajv, schema, path)
  const looked = namesLookedAt(schema)
  return {
    holds: (args) => validate(args),
    looksAt: (name) => looked === 'all' || looked.has(name),
  }
}

function compileSchema(ajv: Ajv2020, schema: Schema, path: Path) {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new DocumentFault(path, `"when" cannot be used: ${explain(messageOf(error))}`)
  }
}

function explain(message: string): string {
  const format = /^unknown format "(.+?)"/.exec(message)?.[1]
  if (format !== undefined) return `the format "${format}" is not known here; write a "pattern" instead`
  return message.replace(/^strict mode: /, '')
}

/** ajv tells patterns apart by their text. */
function linearPattern(source: string): { test(text: string): boolean; toString(): string } {
  if (source.length > maxPatternLength) {
    throw new Error(`a pattern has ${source.length} characters; at most ${maxPatternLength} are taken`)
  }
  const pattern = compilePattern(source)
  return { test: (text) => pattern.test(text), toString: () => source }
}

function compilePattern(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, '')
    throw new Error(
      `the pattern "${source}" is no regular expression of the RE2 kind (without look-around and back-references): ${reason}`,
      { cause: error },
    )
  }
}
