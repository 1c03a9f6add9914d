/** The official suite against the hub in front of an upstream: what it relays is what the upstream said. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edition, runSuite, type ScenarioReport } from '../conformance/official-suite.ts'
import { type GatewayProfile, startGatewayProfile, type UpstreamKind } from './gateway-profile.ts'

const editions: readonly Edition[] = ['2025-11-25', '2026-07-28'].map((revision) => ({
  package: '@modelcontextprotocol/conformance',
  label: revision,
  options: ['--requirements', revision],
  requirements: revision,
}))

const kinds: readonly UpstreamKind[] = [
  { transport: 'stdio', era: 'legacy' },
  { transport: 'stdio', era: 'modern' },
  { transport: 'http', era: 'legacy' },
  { transport: 'http', era: 'modern' },
  { transport: 'sse', era: 'legacy' },
]

describe.each(kinds)('in front of a $era upstream over $transport', (kind) => {
  let profile: GatewayProfile
  beforeAll(async () => void (profile = await startGatewayProfile(kind)))
  afterAll(() => profile[Symbol.asyncDispose]())

  test.each(editions)('every scored scenario of $label passes', { timeout: 300_000 }, async (edition) => {
    const { scenarios, output } = await runSuite(edition, profile.url)
    const scored = scenarios.filter(({ isScored }) => isScored)
    expect(scored.length, output.slice(-2000)).toBeGreaterThanOrEqual(30)
    expect(scored.filter(({ failed }) => failed > 0).map(explain)).toEqual([])
  })
})

function explain({ name, failures }: ScenarioReport): string {
  return `${name}: ${failures.join('; ') || 'did not come to an end'}`
}
