/** The official suites against the hub as a client: what it says to upstreams, and what it makes of their answers. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Edition, runClientSuite } from '../conformance/official-suite.ts'
import { explain, isFailed, summary } from '../conformance/summary.ts'
import { startGatewayHub } from '../gateway/gateway-hub.ts'
import { startPlayer } from './player.ts'

const editions: readonly (Edition & { readonly scoredCount: number })[] = [
  requirementSet('2025-11-25', 18),
  requirementSet('2026-07-28', 32),
]

/** None of them counts: extensions for programs that log in without a person, which the hub does not offer. */
const notOffered = [
  'auth/client-credentials-basic',
  'auth/client-credentials-jwt',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
]

/** The suite makes one text of it, which a shell reads. */
const driver = [process.execPath, fileURLToPath(new URL('driver.ts', import.meta.url))]
  .map((part) => JSON.stringify(part))
  .join(' ')

test.each(editions)('what counts for $label passes', { timeout: 300_000 }, async (edition) => {
  await using hub = await startGatewayHub({ CLIENT_SECRET: 'pre-registered-secret' })
  const compositor = await hub.agentOf('conformance', {})
  await using player = await startPlayer({ hub, session: 'conformance', compositor })
  const report = await runClientSuite(edition, driver, { PLAYER_URL: player.url })
  console.log(summary(edition, report))
  const scored = report.scenarios.filter((scenario) => scenario.isScored)

  expect(scored.filter(isFailed).map(explain), report.output.slice(-5000)).toEqual([])
  expect(scored.filter(({ warnings }) => warnings.length > 0)).toEqual([])
  expect(report.exitCode).toBe(0)
  expect(scored).toHaveLength(edition.scoredCount)
  const unscored = report.scenarios.filter((scenario) => !scenario.isScored)
  expect(
    unscored
      .filter(isFailed)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(notOffered)
})

function requirementSet(revision: string, scoredCount: number): Edition & { scoredCount: number } {
  return {
    package: '@modelcontextprotocol/conformance',
    label: `0.2.0-alpha.12, ${revision}, as a client`,
    options: ['--requirements', revision, '--timeout', '120000'],
    requirements: revision,
    scoredCount,
  }
}
