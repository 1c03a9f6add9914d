/** Builds what tests start, once for a run: a hub from a bundle is there in half the time. Workers inherit the environment. */
import { checkoutBundles, currentBundle } from '../scripts/bundle.ts'
import { buildPageIfStale } from '../scripts/page.ts'
import { testBundle } from './harness/bundle.ts'

export default async function setup(): Promise<void> {
  process.env['BUNDLE_UNDER_TEST'] = await testBundle()
  // What bin/signalbox runs.
  await currentBundle(checkoutBundles)
  buildPageIfStale()
}
