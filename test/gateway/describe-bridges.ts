/** The official suite against the hub in front of an upstream: the hub relays exactly what the upstream sends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edition, runSuite, type ScenarioReport } from '../conformance/official-suite.ts'
import { type ConnectorArgs, overStdio, upstreamProgram } from '../worlds/gateway-hub.ts'
import { startHttpUpstream } from '../worlds/upstream-process.ts'
import { type GatewayProfile, startGatewayProfile } from './gateway-profile.ts'
import { unbridgeable } from './unbridgeable.ts'

export interface Bridge {
  readonly transport: 'stdio' | 'http' | 'sse'
  /** `both`: a server that uses only the SDK, as others write them. */
  readonly era: 'legacy' | 'modern' | 'both'
  readonly shared?: boolean
  /** The revisions of the clients. */
  readonly clients: readonly Revision[]
}

type Revision = keyof typeof scoredCounts
const scoredCounts = { '2025-11-25': 30, '2026-07-28': 37 }

export function describeBridges(bridges: readonly Bridge[]): void {
  let hub: GatewayProfile
  const stack = new AsyncDisposableStack()
  beforeAll(async () => void (hub = stack.use(await startGatewayProfile())))
  afterAll(() => stack.disposeAsync())

  describe.each(bridges)('in front of a $era upstream over $transport', (bridge) => {
    beforeAll(async () => hub.use(await connectorOf(bridge, stack)))

    test.each(bridge.clients)(
      'every scored check for %s passes, except those that no bridge can do',
      async (revision) => {
        const known = unbridgeable(revision, bridge.era)
        const isKnown = (failure: string) => known.some(({ check }) => failure.startsWith(check))
        const { scenarios, output } = await runPatiently(revision, hub.url, isKnown)
        const scored = scenarios.filter(({ isScored }) => isScored)
        expect(scored, output.slice(-2000)).toHaveLength(scoredCounts[revision])

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
}

async function connectorOf(bridge: Bridge, stack: AsyncDisposableStack): Promise<ConnectorArgs> {
  const { transport, era, shared = false } = bridge
  const options = { prefix: false, shared, ...(era !== 'both' && { era }) }
  const program =
    era === 'both'
      ? upstreamProgram('sdk-upstream', `--${transport}`)
      : upstreamProgram('conformance-upstream', `--${transport}`, '--era', era)
  if (transport === 'stdio') return overStdio(program, options)
  const { url } = stack.use(await startHttpUpstream(program))
  return { transport, base_url: url, options }
}

/** Some checks of the suite wait half a second for an answer, which is too little while other tests use the machine. */
async function runPatiently(revision: Revision, url: string, isKnown: (failure: string) => boolean) {
  const edition: Edition = {
    package: '@modelcontextprotocol/conformance',
    label: revision,
    options: ['--requirements', revision],
    requirements: revision,
  }
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
