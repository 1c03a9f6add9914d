/** A data directory that is deleted with the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempHome extends AsyncDisposable {
  readonly path: string
}

export async function createTempHome(): Promise<TempHome> {
  const path = await mkdtemp(join(tmpdir(), 'signalbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}
