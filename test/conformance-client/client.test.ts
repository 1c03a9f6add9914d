/** The official suites against the hub as a client: what it says to upstreams, and what it makes of their answers. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Edition, runClientSuite, type ScenarioReport, type SuiteReport } from '../conformance/official-suite.ts'
import { startGatewayHub } from '../gateway/gateway-hub.ts'

const editions: readonly (Edition & { readonly scoredCount: number })[] = [
  requirementSet('2025-11-25', 18),
  requirementSet('2026-07-28', 31),
]
const driver = [process.execPath, fileURLToPath(new URL('driver.ts', import.meta.url))]

describe.each(editions)('conformance suite $label, as a client', (edition) => {
  test('every scored scenario passes', { timeout: 300_000 }, async () => {
    await using hub = await startGatewayHub()
    const { token } = await hub.agentOf('conformance', {})
    const report = await runClientSuite(edition, driver.map((part) => JSON.stringify(part)).join(' '), {
      HUB_URL: hub.url,
      HUB_TOKEN: hub.token,
      HUB_AGENT_TOKEN: token,
      HUB_SESSION: 'conformance',
    })
    console.log(summary(edition, report))
    if (process.env['CC_VERBOSE']) console.log(report.output, hub.log())
    const scored = report.scenarios.filter((scenario) => scenario.isScored)
    expect(scored.filter(isFailed).map(explain)).toEqual([])
    expect(report.exitCode, report.output.slice(-2000)).toBe(0)
    expect(scored).toHaveLength(edition.scoredCount)
  })
})

function requirementSet(revision: string, scoredCount: number): Edition & { scoredCount: number } {
  const options = ['--requirements', revision]
  const name = '@modelcontextprotocol/conformance'
  return { package: name, label: `0.2.0-alpha.12, ${revision}`, options, requirements: revision, scoredCount }
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
    `conformance ${label}, as a client:`,
    `  scored: ${scored.filter((each) => !isFailed(each)).length} of ${scored.length} scenarios pass`,
    `  unscored: ${scenarios.length - scored.length} scenarios, failed: ${failedUnscored.map(explain).join('\n    ')}`,
    `  warnings: ${warned.map(({ name, warnings }) => `${name} (${warnings.join('; ')})`).join(', ') || 'none'}`,
  ].join('\n')
}
