/** From what people write to what decides. What only some policies need is loaded when one needs it. */
import { setImmediate as turn } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import type { ConditionCompiler } from './condition.ts'
import type { Path, PolicyDocument } from './document.ts'
import { atLine, DocumentFault, readDocument } from './document.ts'
import { faultOfGlob, matchesGlob } from './glob.ts'
import type { Policy, PolicyCall, PolicyPlace, PolicyRule } from './policy.ts'
import { matchesCall } from './decide.ts'
import { nameOfPlace } from './pool.ts'

export interface GrantSpec {
  readonly id: string
  readonly tool: string
  readonly when?: Readonly<Record<string, unknown>> | undefined
}

/** Makes `allow` of `ask` for the calls it matches. */
export interface CompiledGrant {
  readonly id: string
  matches(call: PolicyCall): boolean
}

/** Throws a `HubError` that begins with the line of what is wrong. */
export async function compilePolicy(source: string, place: PolicyPlace): Promise<Policy> {
  const { content, lineOf } = readDocument(source)
  const needsConditions = content.rules.some(({ when }) => when !== undefined)
  const compileCondition = needsConditions ? await loadConditions() : undefined
  try {
    const rules: PolicyRule[] = []
    for (const [index, written] of content.rules.entries()) {
      // A condition takes about a millisecond; between two of them the hub does its other work.
      if (written.when) await turn()
      const path = ['rules', index]
      const rule = compileRule(written, `${nameOfPlace(place)}#${index + 1}`, path, compileCondition)
      checkExamples(written, rule, path)
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
  const condition = when && (await loadConditions())(when, ['when'])
  return {
    id,
    matches: (call) => matchesGlob(tool, call.tool) && (condition?.holds(call.arguments) ?? true),
  }
}

/** Loaded late: it takes more memory than all policies of a usual hub together, and most have no condition. */
async function loadConditions(): Promise<ConditionCompiler> {
  const { createConditionCompiler } = await import('./condition.ts')
  return createConditionCompiler()
}

type WrittenRule = PolicyDocument['content']['rules'][number]

function compileRule(
  { effect, tools, when, reason }: WrittenRule,
  name: string,
  path: Path,
  compileCondition: ConditionCompiler | undefined,
): PolicyRule {
  return {
    name,
    effect,
    tools,
    namesTool: (tool) => tools.some((pattern) => matchesGlob(pattern, tool)),
    ...(reason !== undefined && { reason }),
    ...(when && compileCondition && { when, condition: compileCondition(when, [...path, 'when']) }),
  }
}

function checkExamples({ match, notMatch }: WrittenRule, rule: PolicyRule, path: Path): void {
  const missed = match.findIndex((example) => !matchesCall(rule, example))
  if (missed >= 0) {
    throw new DocumentFault(
      [...path, 'match', missed],
      `the rule does not match this example of what it shall match: ${whyNot(rule, match[missed])}`,
    )
  }
  const caught = notMatch.findIndex((example) => matchesCall(rule, example))
  if (caught >= 0) {
    throw new DocumentFault(
      [...path, 'not_match', caught],
      `the rule matches "${notMatch[caught]?.tool}", an example of what it shall not match: make its names or its when narrower`,
    )
  }
}

function whyNot(rule: PolicyRule, example: PolicyCall | undefined): string {
  if (example && rule.namesTool(example.tool)) return `its "when" does not hold for the arguments of "${example.tool}"`
  return `none of its names (${rule.tools.join(', ')}) fits "${example?.tool}"`
}
