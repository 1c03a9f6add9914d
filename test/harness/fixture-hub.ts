/**
 * The hub with the conformance fixtures, the probes and the misbehaving tools, started and stopped like `signalbox up`.
 */
import module from 'node:module'
import { loadConfig } from '../../src/config/config.ts'
import { startHub } from '../../src/hub.ts'
import { createFixtureProvider } from '../conformance/fixture-provider.ts'
import { createMisbehavingProvider } from './misbehaving-provider.ts'
import { createProbeProvider } from './probe-provider.ts'

const hub = await startHub(loadConfig(), {
  providers: (deps) => [createFixtureProvider(deps), createProbeProvider(deps), createMisbehavingProvider()],
})
// Most tests kill the hub, and a killed process does not write the compile cache.
module.flushCompileCache()
console.log(`Signalbox is ready: ${hub.loginUrl}`)
process.once('SIGTERM', () => void hub.stop().then(() => process.exit(0)))
