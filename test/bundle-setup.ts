/**
 * Builds the programs that tests start, once for a run: a hub from a bundle starts in half the time. Workers inherit
 * the environment.
 */
import { checkoutBundles, currentBundle } from '../scripts/bundle.ts'
import { buildPageIfStale } from '../scripts/page.ts'
import { testBundle } from './harness/bundle.ts'

export default async function setup(): Promise<void> {
  process.env['BUNDLE_UNDER_TEST'] = await testBundle()
  // The bundle that bin/signalbox runs.
  await currentBundle(checkoutBundles)
  buildPageIfStale()
}
