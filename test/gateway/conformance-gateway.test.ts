/** The official suite against the hub in front of an upstream: the hub relays exactly what the upstream sends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edition, runSuite, type ScenarioReport } from '../conformance/official-suite.ts'
import { type GatewayProfile, startGatewayProfile, type UpstreamKind } from './gateway-profile.ts'
import { unbridgeable } from './unbridgeable.ts'

const editions = ['2025-11-25', '2026-07-28'].map((revision): Edition & { requirements: string } => ({
  package: '@modelcontextprotocol/conformance',
  label: revision,
  options: ['--requirements', revision],
  requirements: revision,
}))
const scoredCounts: Readonly<Record<string, number>> = { '2025-11-25': 30, '2026-07-28': 37 }

const kinds: readonly UpstreamKind[] = [
  { transport: 'stdio', era: 'legacy' },
  { transport: 'stdio', era: 'modern' },
  { transport: 'http', era: 'legacy' },
  { transport: 'http', era: 'modern' },
  { transport: 'sse', era: 'legacy' },
  { transport: 'http', era: 'both' },
  { transport: 'stdio', era: 'both', shared: true },
]

describe.each(kinds)('in front of a $era upstream over $transport', (kind) => {
  let profile: GatewayProfile
  beforeAll(async () => void (profile = await startGatewayProfile(kind)))
  afterAll(() => profile[Symbol.asyncDispose]())

  test.each(editions)(
    'every scored check for $label passes, except those that no bridge can do',
    async (edition) => {
      const known = unbridgeable(edition.requirements, kind)
      const isKnown = (failure: string) => known.some(({ check }) => failure.startsWith(check))
      const { scenarios, output } = await runPatiently(edition, profile.url, isKnown)
      const scored = scenarios.filter(({ isScored }) => isScored)
      expect(scored, output.slice(-2000)).toHaveLength(scoredCounts[edition.requirements] ?? 0)

      const failures = failuresIn(scenarios)
      expect.soft(failures.filter((failure) => !isKnown(failure))).toEqual([])
      const healed = known.filter(
        ({ check, isByChance }) => !isByChance && !failures.some((it) => it.startsWith(check)),
      )
      expect.soft(healed).toEqual([])
    },
    300_000,
  )
})

/** Some checks of the suite wait half a second for an answer, which is too little while other tests use the machine. */
async function runPatiently(edition: Edition, url: string, isKnown: (failure: string) => boolean) {
  let report = await runSuite(edition, url)
  for (let tries = 1; tries < 3 && !failuresIn(report.scenarios).every(isKnown); tries++) {
    report = await runSuite(edition, url)
  }
  return report
}

/** `scenario: check: reason`. Tasks are an extension that the upstream does not have. */
function failuresIn(scenarios: readonly ScenarioReport[]): readonly string[] {
  const meant = scenarios.filter(({ isScored, name }) => isScored || !name.startsWith('tasks-'))
  return meant.flatMap(({ name, failed, failures }) => {
    if (failed > 0 && failures.length === 0) return [`${name}: did not come to an end`]
    return failures.map((failure) => `${name}: ${failure}`)
  })
}
