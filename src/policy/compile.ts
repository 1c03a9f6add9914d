/** Compiles the text of a policy into rules. The parser, and code that only some policies need, are loaded on demand. */
import { setImmediate as turn } from 'node:timers/promises'
import { cpuMs } from '../base/cpu-ms.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { CompiledGrant, Policy, PolicyCall, PolicyPlace, PolicyRule } from './compiled-policy.ts'
import type { ConditionCompiler } from './condition.ts'
import { matchesCall } from './decide.ts'
import type { PolicyDocument } from './document.ts'
import { DocumentFault } from './document-fault.ts'
import type { Path } from './document-fault.ts'
import { faultOfGlob, matchesGlob } from './glob.ts'
import { withinTimeLimit } from './decision-time.ts'
import { nameOfPlace } from './pool.ts'

export interface GrantSpec {
  readonly id: string
  readonly tool: string
  readonly when?: Readonly<Record<string, unknown>> | undefined
}

const maxExamples = 1_000
const maxExamplesMs = 500
const tooSlow = 'checking the examples takes too long. Write fewer or shorter ones, or simplify the patterns'

/** Throws a `HubError` whose message begins with the line of the mistake. */
export async function compilePolicy(source: string, place: PolicyPlace): Promise<Policy> {
  const { atLine, readDocument } = await import('./document.ts')
  const { content, lineOf } = readDocument(source)
  const needsConditions = content.rules.some(({ when }) => when !== undefined)
  const compileCondition = needsConditions ? await loadConditions() : undefined
  try {
    const rules: PolicyRule[] = []
    const checkExamples = createExampleCheck()
    for (const [index, written] of content.rules.entries()) {
      const path = ['rules', index]
      const rule = await compileRule(written, `${nameOfPlace(place)}#${index + 1}`, path, compileCondition)
      await checkExamples(written, rule, path)
      rules.push(rule)
    }
    const { default: fallback, locked: isLocked } = content
    return { place, source, isLocked, rules, ...(fallback !== undefined && { default: fallback }) }
  } catch (error) {
    throw error instanceof DocumentFault ? atLine(error, lineOf) : error
  }
}

export async function compileGrant({ id, tool, when }: GrantSpec): Promise<CompiledGrant> {
  const fault = faultOfGlob(tool)
  if (fault !== undefined) throw new HubError('invalid', `"tool": "${tool}" ${fault}.`)
  const condition = when && (await (await loadConditions())(when, ['when']))
  return {
    id,
    matches: (call) => matchesGlob(tool, call.tool) && withinTimeLimit(() => condition?.holds(call.arguments) ?? true),
  }
}

/** Loaded on demand: it takes more memory than all policies of a typical hub, and most policies have no condition. */
async function loadConditions(): Promise<ConditionCompiler> {
  const { createConditionCompiler } = await import('./condition.ts')
  return createConditionCompiler()
}

type WrittenRule = PolicyDocument['content']['rules'][number]

async function compileRule(
  { effect, tools, when, reason }: WrittenRule,
  name: string,
  path: Path,
  compileCondition: ConditionCompiler | undefined,
): Promise<PolicyRule> {
  return {
    name,
    effect,
    tools,
    namesTool: (tool) => tools.some((pattern) => matchesGlob(pattern, tool)),
    ...(reason !== undefined && { reason }),
    ...(when && compileCondition && { when, condition: await compileCondition(when, [...path, 'when']) }),
  }
}

type ExampleCheck = (written: WrittenRule, rule: PolicyRule, path: Path) => Promise<void>

/** The limits apply to all examples of a document together. */
function createExampleCheck(): ExampleCheck {
  let count = 0
  let spentMs = 0

  async function matches(rule: PolicyRule, example: PolicyCall, path: Path): Promise<boolean> {
    if (++count > maxExamples) throw new DocumentFault(path, `a policy has at most ${maxExamples} examples`)
    if (spentMs > maxExamplesMs) throw new DocumentFault(path, tooSlow)
    if (rule.condition) await turn()
    const before = cpuMs()
    try {
      return matchesCall(rule, example)
    } catch (error) {
      throw new DocumentFault(path, `the hub cannot check this example: ${messageOf(error).replace(/\.$/, '')}`)
    } finally {
      spentMs += cpuMs() - before
    }
  }

  return async ({ match, notMatch }, rule, path) => {
    for (const [index, example] of match.entries()) {
      const at = [...path, 'match', index]
      if (await matches(rule, example, at)) continue
      throw new DocumentFault(at, `the rule does not match this example under "match": ${whyNot(rule, example)}`)
    }
    for (const [index, example] of notMatch.entries()) {
      const at = [...path, 'not_match', index]
      if (!(await matches(rule, example, at))) continue
      throw new DocumentFault(
        at,
        `the rule matches "${example.tool}", an example under "not_match". Make its names or its "when" narrower`,
      )
    }
  }
}

function whyNot(rule: PolicyRule, example: PolicyCall): string {
  if (rule.namesTool(example.tool)) return `its "when" does not hold for the arguments of "${example.tool}"`
  return `none of its names (${rule.tools.join(', ')}) matches "${example.tool}"`
}
