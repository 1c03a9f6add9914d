/** The official suites against the hub as a client of upstreams. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Edition, runClientSuite } from '../conformance/official-suite.ts'
import { explain, isFailed, summary } from '../conformance/summary.ts'
import { type GatewayHub, startGatewayHub } from '../worlds/gateway-hub.ts'
import { type ScenarioRunner, startScenarioRunner } from './scenario-runner.ts'

const editions: readonly (Edition & { readonly scoredCount: number })[] = [
  requirementSet('2025-11-25', 18),
  requirementSet('2026-07-28', 32),
]

/** Unscored extensions for programs that log in without a person. The hub does not offer them. */
const notOffered = [
  'auth/client-credentials-basic',
  'auth/client-credentials-jwt',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
]

/**
 * The suite runs the command in a shell, once for each scenario and all at once, with its server's address as last
 * argument. It sends the scenario to the scenario runner and waits for the outcome.
 */
const driver = `sh -c 'exec curl -sS --fail-with-body "$RUNNER_URL" \
  --data-urlencode "scenario=$MCP_CONFORMANCE_SCENARIO" \
  --data-urlencode "context=$MCP_CONFORMANCE_CONTEXT" \
  --data-urlencode "url=$0"'`

let hub: GatewayHub
let runner: ScenarioRunner
beforeAll(async () => {
  hub = await startGatewayHub({ CLIENT_SECRET: 'pre-registered-secret' })
  const compositor = await hub.agentOf('conformance', {})
  runner = await startScenarioRunner({ hub, session: 'conformance', compositor })
})
afterAll(async () => {
  await runner[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

test.each(editions)('every scored scenario of $label passes', { timeout: 300_000 }, async (edition) => {
  const report = await runClientSuite(edition, driver, { RUNNER_URL: runner.url })
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
