/** The bundle that tests start their programs from. */
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A program of the bundle by its name there, such as `signalbox`. */
export function bundled(program: string): string {
  return join(bundle, `${program}.mjs`)
}

/** The shipped program, and the hub with the conformance fixtures. */
export async function testBundle(): Promise<string> {
  const { currentBundle } = await import('../../scripts/bundle.ts')
  return currentBundle({
    bundles: join(root, '.cache/test-bundles'),
    more: { 'fixture-hub': 'test/harness/fixture-hub.ts' },
    sources: ['test/harness', 'test/conformance'],
  })
}

const bundle = process.env['BUNDLE_UNDER_TEST'] ?? (await testBundle())
