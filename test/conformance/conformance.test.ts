/** The official suites against the product's HTTP entry, connections and dispatch, with fixtures as a provider. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edition, runSuite, type ScenarioReport, type SuiteReport } from './official-suite.ts'
import { type Profile, startProfile } from './profile.ts'

const v02 = '@modelcontextprotocol/conformance'
const editions: readonly (Edition & { readonly scoredCount: number })[] = [
  { package: 'conformance-0-1', label: '0.1.16, all', options: ['--suite', 'all'], scoredCount: 32 },
  requirementSet('2025-11-25', 30),
  requirementSet('2026-07-28', 37),
]

describe.each(editions)('conformance suite $label', (edition) => {
  let profile: Profile
  beforeAll(async () => void (profile = await startProfile()))
  afterAll(() => profile[Symbol.asyncDispose]())

  test('every scored scenario passes', { timeout: 300_000 }, async () => {
    const report = await runSuite(edition, profile.url)
    console.log(summary(edition, report))
    const scored = report.scenarios.filter((scenario) => scenario.isScored)

    expect(scored.filter(isFailed).map(explain)).toEqual([])
    expect(report.exitCode, report.output.slice(-2000)).toBe(0)
    expect(scored).toHaveLength(edition.scoredCount)
    // Tasks are an extension the hub does not offer; whatever else is not scored passes all the same.
    const unscored = report.scenarios.filter((scenario) => !scenario.isScored && !scenario.name.startsWith('tasks-'))
    expect(unscored.filter(isFailed).map(explain)).toEqual([])
  })
})

function requirementSet(revision: string, scoredCount: number): Edition & { scoredCount: number } {
  const options = ['--requirements', revision]
  return { package: v02, label: `0.2.0-alpha.12, ${revision}`, options, requirements: revision, scoredCount }
}

function isFailed({ failed }: ScenarioReport): boolean {
  return failed > 0
}

function explain({ name, failures }: ScenarioReport): string {
  return `${name}: ${failures.join('; ') || 'did not come to an end'}`
}

function summary({ label }: Edition, { scenarios }: SuiteReport): string {
  const scored = scenarios.filter((scenario) => scenario.isScored)
  const failedUnscored = scenarios.filter((scenario) => !scenario.isScored && isFailed(scenario))
  const warned = scenarios.filter(({ warnings }) => warnings.length > 0)
  return [
    `conformance ${label}:`,
    `  scored: ${scored.filter((each) => !isFailed(each)).length} of ${scored.length} scenarios pass`,
    `  checks: ${sum(scenarios, 'passed')} passed, ${sum(scenarios, 'failed')} failed`,
    `  unscored: ${scenarios.length - scored.length} scenarios, failed: ${names(failedUnscored)}`,
    `  warnings: ${warned.map(({ name, warnings }) => `${name} (${warnings.join('; ')})`).join(', ') || 'none'}`,
  ].join('\n')
}

function sum(scenarios: readonly ScenarioReport[], count: 'passed' | 'failed'): number {
  return scenarios.reduce((total, scenario) => total + scenario[count], 0)
}

function names(scenarios: readonly ScenarioReport[]): string {
  return scenarios.map(({ name }) => name).join(', ') || 'none'
}
