/** Finds the files of a data directory that go into a backup, and opens each when its turn comes. */
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'
import { isPart, personalFolders } from './backup-parts.ts'
import type { TarFile } from './tar-writer.ts'

export interface CollectOptions {
  readonly home: string
  readonly journals: boolean
}

/** Everything but the databases, which cannot be copied as files. */
export async function* collectFiles({ home, journals }: CollectOptions): AsyncGenerator<TarFile> {
  const names = await namesIn(home)
  const single = names.filter((name) => name === 'config.yaml' || name.endsWith('.key'))
  const folders = journals ? [...personalFolders, 'sessions'] : personalFolders
  yield* readEach(home, single)
  for (const folder of folders) yield* readEach(home, pathsBelow(home, folder))
}

/** The copy of a file under its path in the backup. */
export async function* collectFile(directory: string, path: string): AsyncGenerator<TarFile> {
  yield* readEach(directory, [path])
}

async function* readEach(home: string, paths: AsyncIterable<string> | Iterable<string>): AsyncGenerator<TarFile> {
  for await (const path of paths) {
    if (!isPart(path)) continue
    await using file = await ifThere(join(home, path), (found) => open(found, 'r'))
    const stats = await file?.stat()
    if (file && stats?.isFile()) yield tarFile(path, file, stats)
  }
}

/**
 * Files first: the screen of a session must not be newer than its journal. Sorted, for the same reason: the index of a
 * segment comes before its bytes. Follows links, because people keep templates elsewhere, but not into a circle.
 */
async function* pathsBelow(home: string, folder: string, above: readonly string[] = []): AsyncGenerator<string> {
  const real = await ifThere(join(home, folder), (path) => realpath(path))
  if (real === undefined || above.includes(real)) return
  const folders: string[] = []
  for (const name of await namesIn(real)) {
    const path = `${folder}/${name}`
    const stats = await ifThere(join(real, name), (found) => stat(found))
    if (stats?.isDirectory()) folders.push(path)
    else if (stats?.isFile()) yield path
  }
  for (const each of folders) yield* pathsBelow(home, each, [...above, real])
}

function tarFile(path: string, file: FileHandle, { size, mode, mtime }: Stats): TarFile {
  return { path, size, mode, modifiedAt: mtime, content: exactly(size, file) }
}

/** A journal grows meanwhile. If a file has shrunk, zeros fill the rest: the archive has already named its size. */
async function* exactly(size: number, file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const buffer = Buffer.alloc(Math.min(chunkBytes, size - position))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
    position += chunk.length
    yield chunk
  }
}

const chunkBytes = 256 * 1024

async function namesIn(directory: string): Promise<readonly string[]> {
  return ((await ifThere(directory, (path) => readdir(path))) ?? []).toSorted()
}

/** `undefined`: it was removed meanwhile, such as an old segment of a journal, or is a link to nothing. */
async function ifThere<Found>(path: string, look: (path: string) => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError('failed', `${path} cannot be read: ${reasonOf(error)}. No backup was written.`, { cause: error })
  }
}
