/** A policy as it is written, YAML or JSON: its shape is checked, and every fault knows its line. */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Document } from 'yaml'
import { z } from 'zod'
import { effects } from '../api/policy.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { faultOfGlob } from './glob.ts'
import { lineOfDeepNesting } from './nesting.ts'

export type Path = readonly PropertyKey[]

/** Something in the document is wrong; where, is said by path, and by line once the document is at hand. */
export class DocumentFault extends Error {
  readonly path: Path

  constructor(path: Path, message: string) {
    super(message)
    this.path = path
  }
}

export interface PolicyDocument {
  readonly content: z.output<typeof contentSchema>
  lineOf(path: Path): number
}

const maxBytes = 256 * 1024
const maxRules = 10_000
/** Each use of an anchor counts with what it stands for, so a few lines cannot grow into millions. */
const maxAliasCount = 1_000

const effectNames = effects.join(', ')

const globSchema = z.string('write the name of a tool, such as "github_get_*"').superRefine((pattern, context) => {
  const fault = faultOfGlob(pattern)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: `"${pattern}" ${fault}` })
})

const globsSchema = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(globSchema).min(1, 'names no tool: write one such as "github_get_*", or "*" for every tool'),
)

const plainObject = (message: string) => z.record(z.string(), z.unknown(), message)

const exampleSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { tool: value } : value),
  z.strictObject(
    {
      tool: z.string('write the name of a tool'),
      arguments: plainObject('write the arguments as a map').default({}),
    },
    'write the name of a tool, or {tool: …, arguments: {…}}',
  ),
)
const examplesSchema = z.array(exampleSchema, 'write a list of calls, each the name of a tool or {tool, arguments}')

const ruleSchema = z
  .strictObject(
    {
      allow: globsSchema.optional(),
      ask: globsSchema.optional(),
      deny: globsSchema.optional(),
      abort: globsSchema.optional(),
      when: plainObject('write a JSON Schema that the arguments must match, such as {required: [repo]}').optional(),
      reason: z.string('write a sentence').max(1_000).optional(),
      match: examplesSchema.default([]),
      not_match: examplesSchema.default([]),
    },
    `a rule is a map such as {deny: "github_*"}; its first word is one of ${effectNames}`,
  )
  .transform((rule, context) => {
    const [effect, another] = effects.filter((name) => rule[name] !== undefined)
    if (effect === undefined) {
      context.addIssue({ code: 'custom', message: `a rule says one of ${effectNames}, and for which tools` })
      return z.NEVER
    }
    if (another !== undefined) {
      context.addIssue({
        code: 'custom',
        message: `a rule has one effect, and this one says ${effect} and ${another}: make two rules of it`,
      })
      return z.NEVER
    }
    const { when, reason, match, not_match: notMatch } = rule
    return { effect, tools: rule[effect] ?? [], when, reason, match, notMatch }
  })

const mapSchema = z
  .strictObject(
    {
      default: z.enum(effects, `write one of ${effectNames}`).optional(),
      locked: z.boolean('write true or false').default(false),
      rules: z
        .array(ruleSchema, 'write a list: each rule begins with "- "')
        .max(maxRules, `has more than ${maxRules} rules`)
        .nullish()
        .transform((rules) => rules ?? []),
    },
    'a policy is a map with default, locked and rules, or a list of rules',
  )
  .refine(({ locked, default: fallback }) => !locked || fallback !== undefined, {
    path: ['locked'],
    message: 'keeps narrower policies from stating another default, so it needs one here: add "default: ask"',
  })

/** A list alone is its rules. */
const contentSchema = z.preprocess((value) => (Array.isArray(value) ? { rules: value } : value), mapSchema)

export function readDocument(source: string): PolicyDocument {
  if (Buffer.byteLength(source) > maxBytes) {
    throw new HubError('too-large', `A policy may have ${maxBytes} bytes; this one has ${Buffer.byteLength(source)}.`)
  }
  const lines = new LineCounter()
  const document = parse(source, lines)
  const lineOf = (path: Path) => lineIn(document, path, lines)
  const parsed = contentSchema.safeParse(plainContent(document))
  if (parsed.success) return { content: parsed.data, lineOf }
  const [first] = parsed.error.issues
  throw first ? atLine(faultOfIssue(first), lineOf) : parsed.error
}

export function atLine({ path, message }: DocumentFault, lineOf: PolicyDocument['lineOf']): HubError {
  const line = lineOf(path)
  return new HubError('invalid', `line ${line}: ${message}.`, { data: { line } })
}

function parse(source: string, lines: LineCounter): Document {
  const deep = lineOfDeepNesting(source)
  if (deep !== undefined) {
    throw new HubError('invalid', `line ${deep}: this is nested too deeply for a policy.`, { data: { line: deep } })
  }
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const [fault] = [...document.errors, ...document.warnings]
  if (!fault) return document
  const { line } = lines.linePos(fault.pos[0])
  throw new HubError('invalid', `line ${line}: this is no YAML: ${fault.message}.`, { data: { line } })
}

/** Nothing at all is a policy that says nothing. By way of JSON, since an anchor may stand inside itself. */
function plainContent(document: Document): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount }) ?? {}))
  } catch (error) {
    throw new HubError('invalid', `line 1: the document cannot be unfolded: ${messageOf(error)}.`, {
      cause: error,
      data: { line: 1 },
    })
  }
}

function faultOfIssue(issue: z.core.$ZodIssue): DocumentFault {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return new DocumentFault([...issue.path, key], `"${key}" is not known here; ${known(issue.path)}`)
  }
  const isAboutRule = issue.path.length === 2
  const name = isAboutRule ? undefined : issue.path.findLast((step) => typeof step === 'string')
  return new DocumentFault(issue.path, name === undefined ? issue.message : `"${name}": ${issue.message}`)
}

function known(path: Path): string {
  if (path.length === 0) return 'a policy has default, locked and rules'
  if (path.length === 2) return `a rule has one of ${effectNames}, and when, reason, match and not_match`
  return 'an example has tool and arguments'
}

/** Of the deepest part of the path that is written down as such: behind an alias there is nothing to point at. */
function lineIn(document: Document, fullPath: Path, lines: LineCounter): number {
  const path = isSeq(document.contents) ? fullPath.slice(1) : fullPath
  for (let depth = path.length; depth > 0; depth--) {
    const holder = document.getIn(path.slice(0, depth - 1), true)
    const step = path[depth - 1]
    const node = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))?.key
      : isSeq(holder) && holder.items[Number(step)]
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
