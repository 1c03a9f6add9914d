import { readFile } from 'node:fs/promises'
import { CliError } from './cli-error.ts'
import { reasonOf } from './system-error.ts'

/** Reads a file that the command line names. */
export async function readInputFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const advice = 'Name a file that you can read.'
    throw new CliError('failed', `The file ${file} cannot be read: ${reasonOf(error)}. ${advice}`, { cause: error })
  }
}
