/** The official suites against the hub's HTTP surface and endpoint, with fixtures from a provider. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edition, runSuite } from './official-suite.ts'
import { type Profile, startProfile } from './profile.ts'
import { explain, isFailed, summary } from './summary.ts'

const v02 = '@modelcontextprotocol/conformance'
const editions: readonly (Edition & { readonly scoredCount: number })[] = [
  { package: 'conformance-0-1', label: '0.1.16, all', options: ['--suite', 'all'], scoredCount: 32 },
  requirementSet('2025-11-25', 30),
  requirementSet('2026-07-28', 37),
]

let profile: Profile
beforeAll(async () => void (profile = await startProfile()))
afterAll(() => profile[Symbol.asyncDispose]())

describe.each(editions)('conformance suite $label', (edition) => {
  test('every scored scenario passes', { timeout: 300_000 }, async () => {
    const report = await runSuite(edition, profile.url)
    console.log(summary(edition, report))
    const scored = report.scenarios.filter((scenario) => scenario.isScored)

    expect(scored.filter(isFailed).map(explain)).toEqual([])
    expect(report.exitCode, report.output.slice(-2000)).toBe(0)
    expect(scored).toHaveLength(edition.scoredCount)
    // The hub does not offer tasks, which are an extension. All other unscored scenarios pass too.
    const unscored = report.scenarios.filter((scenario) => !scenario.isScored && !scenario.name.startsWith('tasks-'))
    expect(unscored.filter(isFailed).map(explain)).toEqual([])
  })
})

function requirementSet(revision: string, scoredCount: number): Edition & { scoredCount: number } {
  const options = ['--requirements', revision]
  return { package: v02, label: `0.2.0-alpha.12, ${revision}`, options, requirements: revision, scoredCount }
}
