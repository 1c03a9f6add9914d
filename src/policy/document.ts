/** Parses the text of a policy, YAML or JSON, and checks its shape. Every error has a line number. */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import type { Document } from 'yaml'
import { z } from 'zod'
import { effects } from '../api/policy.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { plainIssue } from '../base/plain-issue.ts'
import { DocumentFault } from './document-fault.ts'
import type { Path } from './document-fault.ts'
import { faultOfGlob } from './glob.ts'
import { lineOfDeepNesting } from './nesting.ts'

export interface PolicyDocument {
  readonly content: z.output<typeof contentSchema>
  lineOf(path: Path): number
}

const maxBytes = 256 * 1024
const maxRules = 10_000
/** Each use of an anchor counts with its content, so that a few lines cannot grow into millions. */
const maxAliasCount = 1_000
/** With all aliases expanded. */
const maxUnfoldedSize = 1024 * 1024

const effectNames = effects.join(', ')

const globSchema = z.string('write the name of a tool, such as "github_get_*"').superRefine((pattern, context) => {
  const fault = faultOfGlob(pattern)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: `"${pattern}" ${fault}` })
})

const globsSchema = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(globSchema).min(1, 'names no tool. Write one such as "github_get_*", or "*" for every tool'),
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
    `a rule is a map such as {deny: "github_*"}, with one of ${effectNames}`,
  )
  .transform((rule, context) => {
    const [effect, another] = effects.filter((name) => rule[name] !== undefined)
    if (effect === undefined) {
      context.addIssue({ code: 'custom', message: `a rule needs one of ${effectNames}, with the names of tools` })
      return z.NEVER
    }
    if (another !== undefined) {
      context.addIssue({
        code: 'custom',
        message: `a rule has one effect, but this one has ${effect} and ${another}. Make it two rules`,
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
        .array(ruleSchema, 'write a list; each rule begins with "- "')
        .max(maxRules, `has more than ${maxRules} rules`)
        .nullish()
        .transform((rules) => rules ?? []),
    },
    'a policy is a map with default, locked and rules, or a list of rules',
  )
  .refine(({ locked, default: fallback }) => !locked || fallback !== undefined, {
    path: ['locked'],
    message: 'keeps narrower policies from changing the default, so this policy needs one. Add "default: ask"',
  })

/** A document that is a list is the list of rules. */
const contentSchema = z.preprocess((value) => (Array.isArray(value) ? { rules: value } : value), mapSchema)

export function readDocument(source: string): PolicyDocument {
  if (Buffer.byteLength(source) > maxBytes) {
    throw new HubError(
      'too-large',
      `A policy may have at most ${maxBytes} bytes, but this one has ${Buffer.byteLength(source)}.`,
    )
  }
  const lines = new LineCounter()
  const document = parse(source, lines)
  const lineOf = (path: Path) => lineIn(document, path, lines)
  const parsed = contentSchema.safeParse(plainContent(document), { error: plainIssue })
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
  // The parser's own check would compare each key of a map with all others.
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [fault = findRepeatedKey(document)] = [...document.errors, ...document.warnings]
  if (!fault) return document
  const { line } = lines.linePos(fault.pos[0])
  throw new HubError('invalid', `line ${line}: this is not YAML: ${fault.message}.`, { data: { line } })
}

function findRepeatedKey(
  document: Document,
): { readonly pos: readonly [number]; readonly message: string } | undefined {
  let repeated: { readonly pos: readonly [number]; readonly message: string } | undefined
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (keys.has(name)) {
          repeated = { pos: [key.range?.[0] ?? 0], message: 'Map keys must be unique' }
          return visit.BREAK
        }
        keys.add(name)
      }
      return undefined
    },
  })
  return repeated
}

/** An empty document is an empty policy. The copy by JSON fails for an anchor that contains itself. */
function plainContent(document: Document): unknown {
  try {
    const content: unknown = document.toJS({ maxAliasCount })
    if (unfoldedSize(content) <= maxUnfoldedSize) return JSON.parse(JSON.stringify(content ?? {}))
    throw new Error(`with all aliases expanded it has more than ${maxUnfoldedSize} characters`)
  } catch (error) {
    throw new HubError('invalid', `line 1: the aliases of the document cannot be expanded: ${messageOf(error)}.`, {
      cause: error,
      data: { line: 1 },
    })
  }
}

/** An alias counts each time with the size of its content. The size is infinite for an anchor that contains itself. */
function unfoldedSize(value: unknown, known = new Map<object, number>()): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  const before = known.get(value)
  if (before !== undefined) return before
  known.set(value, Number.POSITIVE_INFINITY)
  const size = Object.entries(value).reduce((sum, [key, part]) => sum + key.length + unfoldedSize(part, known), 2)
  known.set(value, size)
  return size
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

/** The line of the deepest part of the path that exists in the text. Content behind an alias has no line of its own. */
function lineIn(document: Document, fullPath: Path, lines: LineCounter): number {
  const path = isSeq(document.contents) ? fullPath.slice(1) : fullPath
  for (let depth = path.length; depth > 0; depth--) {
    const parent = document.getIn(path.slice(0, depth - 1), true)
    const step = path[depth - 1]
    const node = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))?.key
      : isSeq(parent) && parent.items[Number(step)]
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
