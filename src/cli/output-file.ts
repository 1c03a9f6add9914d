/** A file that a person asked for: there as a whole, or not at all. */
import { randomBytes } from 'node:crypto'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import { reasonOf } from './system-error.ts'

/** Replaces what was there. Answers with the whole path. */
export async function writeOutputFile(file: string, content: string | Uint8Array): Promise<string> {
  const path = resolve(file)
  try {
    const before = await stat(path).catch(() => undefined)
    // A pipe or a device takes what comes, and must stay what it is.
    if (before && !before.isFile()) await writeFile(path, content)
    else await replaceFile(before ? await realpath(path) : path, content, before?.mode)
    return path
  } catch (error) {
    throw new CliError('failed', `${path} cannot be written: ${reasonOf(error)}.`, { cause: error })
  }
}

async function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeFile(beside, content, { flag: 'wx', mode })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
