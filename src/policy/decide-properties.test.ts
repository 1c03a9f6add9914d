/** Properties that hold for every policy, checked on generated policies. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Effect, PolicyScope } from '../api/policy.ts'
import { effects, policyScopes } from '../api/policy.ts'
import type { PolicyCall } from './compiled-policy.ts'
import type { PolicyPool } from './policy.ts'
import { compileGrant, compilePolicy, decide, poolPolicies } from './policy.ts'

interface WrittenRule {
  readonly effect: Effect
  readonly tools: readonly string[]
  /** A `when` that requires this argument to have this value. */
  readonly when?: { readonly name: string; readonly value: number } | undefined
}
interface Written {
  readonly default?: Effect | undefined
  readonly locked: boolean
  readonly rules: readonly WrittenRule[]
}
type WrittenPool = Readonly<Record<PolicyScope, Written>>
interface WrittenGrant {
  readonly tool: string
}

const glob = fc.constantFrom('a', 'b', 'ab', 'a*', '*b', '*', '?', 'a?', '*a*')
const ruleArbitrary: fc.Arbitrary<WrittenRule> = fc.record({
  effect: fc.constantFrom(...effects),
  tools: fc.array(glob, { minLength: 1, maxLength: 2 }),
  when: fc.option(fc.record({ name: fc.constantFrom('x', 'y'), value: fc.integer({ min: 0, max: 1 }) }), {
    nil: undefined,
  }),
})
const documentArbitrary: fc.Arbitrary<Written> = fc
  .record({
    default: fc.option(fc.constantFrom(...effects), { nil: undefined }),
    locked: fc.boolean(),
    rules: fc.array(ruleArbitrary, { maxLength: 5 }),
  })
  .map((written) => ({ ...written, locked: written.locked && written.default !== undefined }))
const poolArbitrary: fc.Arbitrary<WrittenPool> = fc.record({
  hub: documentArbitrary,
  template: documentArbitrary,
  session: documentArbitrary,
})
/**
 * Compiling is expensive and deciding is cheap. So there are few pools, and each decides every call, and each tool
 * several times.
 */
const runs = { numRuns: 30 }
const values = [undefined, 0, 1]
const calls: readonly PolicyCall[] = values
  .flatMap((x) => values.map((y) => ({ ...(x !== undefined && { x }), ...(y !== undefined && { y }) })))
  .flatMap((args) => ['a', 'b', 'ab', 'ba', 'aab', 'c'].map((tool) => ({ tool, arguments: args })))
const grantsArbitrary: fc.Arbitrary<readonly WrittenGrant[]> = fc.array(fc.record({ tool: glob }), { maxLength: 3 })

test('decides like a reference implementation that goes through all rules one by one', async () => {
  await fc.assert(
    fc.asyncProperty(poolArbitrary, grantsArbitrary, async (written, grants) => {
      const pool = await compile(written)
      const compiledGrants = await compileGrants(grants)
      for (const call of calls) {
        expect(decide(pool, compiledGrants, call)).toMatchObject(readOneByOne(written, grants, call))
      }
    }),
    runs,
  )
})

test('one more deny or abort never allows a call that was not allowed before', async () => {
  const stricter = ruleArbitrary.filter(({ effect }) => effect === 'deny' || effect === 'abort')
  const scopeArbitrary = fc.constantFrom(...policyScopes)
  await fc.assert(
    fc.asyncProperty(poolArbitrary, grantsArbitrary, scopeArbitrary, stricter, async (written, grants, scope, rule) => {
      const more = { ...written, [scope]: { ...written[scope], rules: [rule, ...written[scope].rules] } }
      const [pool, stricterPool] = [await compile(written), await compile(more)]
      const compiledGrants = await compileGrants(grants)
      for (const call of calls) {
        const before = decide(pool, compiledGrants, call)
        const after = decide(stricterPool, compiledGrants, call)
        if (after.effect === 'allow' || after.effect === 'ask') expect(before.effect).toBe(after.effect)
        // Only for the default: a default is not a rule, and a matching rule replaces it.
        if (before.effect === 'abort' && after.effect !== 'abort') expect(before.rule).toBeUndefined()
      }
    }),
    runs,
  )
})

test('the order of rules and of documents never changes the effect', async () => {
  await fc.assert(
    fc.asyncProperty(poolArbitrary, fc.infiniteStream(fc.nat()), async (written, numbers) => {
      const shuffle = <Item>(items: readonly Item[]) =>
        items
          .map((item) => ({ item, by: numbers.next().value ?? 0 }))
          .toSorted((one, other) => one.by - other.by)
          .map(({ item }) => item)
      const shuffled = Object.fromEntries(
        policyScopes.map((scope) => [scope, { ...written[scope], rules: shuffle(written[scope].rules) }]),
      ) as unknown as WrittenPool
      const straight = await compile(written)
      const mixed = poolPolicies(shuffle((await compile(shuffled)).policies))
      for (const call of calls) expect(decide(mixed, [], call).effect).toBe(decide(straight, [], call).effect)
    }),
    runs,
  )
})

test('removing a grant never allows more, and no grant overrides deny or abort', async () => {
  await fc.assert(
    fc.asyncProperty(poolArbitrary, grantsArbitrary, async (written, grants) => {
      const pool = await compile(written)
      const [all, fewer] = [await compileGrants(grants), await compileGrants(grants.slice(1))]
      for (const call of calls) {
        const bare = decide(pool, [], call).effect
        const withAll = decide(pool, all, call).effect
        if (decide(pool, fewer, call).effect === 'allow') expect(withAll).toBe('allow')
        if (bare !== 'ask') expect(withAll).toBe(bare)
      }
    }),
    runs,
  )
})

test('a session cannot override a locked default of the hub', async () => {
  await fc.assert(
    fc.asyncProperty(poolArbitrary, fc.constantFrom(...effects), async (written, fallback) => {
      const pool = await compile({ ...written, hub: { ...written.hub, default: fallback, locked: true } })
      const byDefault = calls.map((call) => decide(pool, [], call)).filter(({ rule }) => rule === undefined)
      for (const { effect } of byDefault) expect(effect).toBe(fallback)
    }),
    runs,
  )
})

/** A reference implementation: as simple as possible, and slow. */
function readOneByOne(written: WrittenPool, grants: readonly WrittenGrant[], call: PolicyCall) {
  const matching = policyScopes.flatMap((scope) =>
    written[scope].rules
      .map((rule, index) => ({ rule, name: `${scope === 'template' ? 'template:t' : scope}#${index + 1}` }))
      .filter(({ rule }) => doesMatch(rule, call)),
  )
  const strictness = matching.map(({ rule }) => effects.indexOf(rule.effect))
  const winner = matching[strictness.indexOf(Math.max(...strictness))]
  const effect = winner?.rule.effect ?? defaultOf(written)
  const isGranted = effect === 'ask' && grants.some(({ tool }) => asExpression(tool).test(call.tool))
  return { effect: isGranted ? 'allow' : effect, ...(winner && { rule: winner.name }) }
}

function defaultOf(written: WrittenPool): Effect {
  const documents = policyScopes.map((scope) => written[scope])
  for (const document of documents) if (document.locked && document.default) return document.default
  for (const document of documents.toReversed()) if (document.default) return document.default
  return 'ask'
}

function doesMatch({ tools, when }: WrittenRule, call: PolicyCall): boolean {
  const isNamed = tools.some((tool) => asExpression(tool).test(call.tool))
  return isNamed && (!when || call.arguments[when.name] === when.value)
}

function asExpression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
}

async function compile(written: WrittenPool): Promise<PolicyPool> {
  const places = { hub: {}, template: { target: 't' }, session: {} }
  const policies = policyScopes.map((scope) =>
    compilePolicy(JSON.stringify(toDocument(written[scope])), { scope, ...places[scope], version: 1 }),
  )
  return poolPolicies(await Promise.all(policies))
}

function toDocument({ rules, ...rest }: Written) {
  const toWhen = ({ name, value }: NonNullable<WrittenRule['when']>) => ({
    properties: { [name]: { const: value } },
    required: [name],
  })
  return {
    ...rest,
    rules: rules.map(({ effect, tools, when }) => ({ [effect]: tools, ...(when && { when: toWhen(when) }) })),
  }
}

function compileGrants(grants: readonly WrittenGrant[]) {
  return Promise.all(grants.map(({ tool }, index) => compileGrant({ id: `g${index}`, tool })))
}
