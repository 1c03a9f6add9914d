/** The repositories that are searched: public packages whose tarball on npm has the sources, in pinned versions. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BenchRepository {
  readonly name: string
  readonly version: string
  /** Files that the build of the package adds and its repository does not have. */
  readonly leaveOut: readonly string[]
}

export const repositories: readonly BenchRepository[] = [
  { name: 'node-gyp', version: '12.4.0', leaveOut: [] },
  { name: 'undici', version: '7.30.2', leaveOut: [] },
  { name: 'rxjs', version: '7.8.2', leaveOut: ['dist'] },
  {
    name: 'zod',
    version: '4.6.7',
    leaveOut: ['v3', 'v4', 'v4-mini', 'mini', 'locales', ...['compile', 'index'].flatMap(builtFiles)],
  },
  { name: 'fastify', version: '5.12.8', leaveOut: [] },
  { name: 'eslint', version: '10.15.0', leaveOut: [] },
  { name: 'webpack', version: '5.112.2', leaveOut: [] },
  { name: 'three', version: '0.187.0', leaveOut: ['build'] },
  { name: 'viem', version: '2.57.13', leaveOut: ['_cjs', '_esm', '_types'] },
  { name: 'react-native', version: '0.82.1', leaveOut: ['types_generated', 'sdks/hermesc'] },
]

export const benchDirectory = fileURLToPath(new URL('../../.cache/bench/retrieval/', import.meta.url))

export function rootOf({ name, version }: BenchRepository): string {
  return join(benchDirectory, 'repositories', `${name}-${version}`)
}

function builtFiles(name: string): readonly string[] {
  return ['.js', '.cjs', '.d.ts', '.d.cts'].map((extension) => name + extension)
}
