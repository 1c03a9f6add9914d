/** Writes an output file completely or not at all. */
import { randomBytes } from 'node:crypto'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import { reasonOf } from './system-error.ts'

/** Replaces an existing file. Returns the absolute path. */
export async function writeOutputFile(file: string, content: string | Uint8Array): Promise<string> {
  const path = resolve(file)
  try {
    const before = await stat(path).catch(() => undefined)
    // A pipe or a device must not be replaced by a file.
    if (before && !before.isFile()) await writeFile(path, content)
    else await replaceFile(before ? await realpath(path) : path, content, before?.mode)
    return path
  } catch (error) {
    throw new CliError('failed', `${path} cannot be written: ${reasonOf(error)}.`, { cause: error })
  }
}

async function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const partFile = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeFile(partFile, content, { flag: 'wx', mode })
    await rename(partFile, path)
  } catch (error) {
    await rm(partFile, { force: true })
    throw error
  }
}
