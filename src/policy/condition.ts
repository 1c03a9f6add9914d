/**
 * `when`: JSON Schema 2020-12 on the arguments of a call, compiled once. Only this file imports ajv, and it is loaded only
 * if a rule has a condition. Evaluation time is at most proportional to schema size times arguments size, even for hostile
 * input: patterns run on an engine without backtracking, references are expanded beforehand, and keywords that compare all
 * items with all others are refused. The size of a schema and the time of a decision are limited.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { messageOf } from '../base/hub-error.ts'
import type { Pattern } from '../base/pattern.ts'
import { compilePattern } from '../base/pattern.ts'
import { DocumentFault, type Path } from './document-fault.ts'
import { argumentsUsed } from './arguments-used.ts'
import { checkTimeLimit, testWithinTimeLimit } from './decision-time.ts'
import { type Schema, type UnfoldedSchema, unfoldSchema } from './unfold-schema.ts'
import type { Condition } from './compiled-policy.ts'

/** Throws a `DocumentFault` with the path of the mistake in the schema. */
export type ConditionCompiler = (schema: Schema, path: Path) => Promise<Condition>

/** Limits for one document, so that compiling takes seconds at most. The hub does other work between two conditions. */
const maxConditions = 500
const maxTotalWeight = 20_000
const maxFoldedClasses = 200

/** Validates schemas. It is created once, because compiling the metaschema takes a while. */
const metaschema = new Ajv2020({ logger: false })

export function createConditionCompiler(): ConditionCompiler {
  // One per document, so that both are garbage together.
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    // Otherwise a misspelt keyword would make a condition that always holds.
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // An inherited property such as "constructor" is not an argument of the call.
    ownProperties: true,
    addUsedSchema: false,
    validateFormats: true,
    code: { regExp: Object.assign(knownPattern, { code: '' }) },
    logger: false,
  })
  const compiled = new Map<string, Condition>()
  const patterns = new Map<string, Pattern>()
  let totalWeight = 0
  let foldedClasses = 0

  /** ajv identifies a pattern by its text. */
  function knownPattern(source: string): { test(text: string): boolean; toString(): string } {
    const pattern = patterns.get(source)
    if (!pattern) throw new Error(`the pattern "${source}" is in a place where patterns are not allowed`)
    return { test: (text) => testWithinTimeLimit(pattern, text), toString: () => source }
  }

  async function compilePatterns({ patterns: sources }: UnfoldedSchema, path: Path): Promise<void> {
    for (const source of sources) {
      if (patterns.has(source)) continue
      await turn()
      const pattern = await compilePattern(source, { ignoreCase: false }).catch((error: unknown) => {
        throw new DocumentFault(path, `"when" is invalid: ${messageOf(error).replace(/\.$/, '')}: ${source}`)
      })
      foldedClasses += pattern.foldedClasses
      if (foldedClasses > maxFoldedClasses) {
        throw new DocumentFault(
          path,
          `at most ${maxFoldedClasses} character classes are allowed in patterns that ignore case`,
        )
      }
      patterns.set(source, pattern)
    }
  }

  return async (schema, path) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known) return known
    if (compiled.size >= maxConditions) {
      throw new DocumentFault(path, `this is condition ${maxConditions + 1}, but at most ${maxConditions} are allowed`)
    }
    const unfolded = unfoldSchema(schema, path)
    totalWeight += unfolded.weight
    if (totalWeight > maxTotalWeight) {
      throw new DocumentFault(path, 'the conditions of this policy are too large together. Shorten some of them')
    }
    await compilePatterns(unfolded, path)
    await turn()
    const condition = compileCondition(ajv, unfolded.schema, path)
    compiled.set(text, condition)
    return condition
  }
}

function compileCondition(ajv: Ajv2020, schema: Schema, path: Path): Condition {
  if (!metaschema.validateSchema(schema)) {
    const [fault] = metaschema.errors ?? []
    const below = fault?.instancePath.split('/').slice(1) ?? []
    throw new DocumentFault(
      [...path, ...below],
      `"when" is not a JSON Schema: ${below.at(-1) ?? 'it'} ${fault?.message}`,
    )
  }
  const validate = compileSchema(ajv, schema, path)
  const used = argumentsUsed(schema)
  return {
    holds(args) {
      checkTimeLimit()
      return validate(args)
    },
    dependsOn: (name) => used === 'all' || used.has(name),
  }
}

function compileSchema(ajv: Ajv2020, schema: Schema, path: Path) {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new DocumentFault(path, `"when" is invalid: ${explain(messageOf(error))}`)
  }
}

function explain(message: string): string {
  const format = /^unknown format "(.+?)"/.exec(message)?.[1]
  if (format !== undefined) return `the format "${format}" is not supported; use a "pattern" instead`
  return message.replace(/^strict mode: /, '')
}
