import { readFile } from 'node:fs/promises'
import { CliError } from './cli-error.ts'
import { reasonOf } from './system-error.ts'
import { utf8Text } from './utf8-text.ts'

/** Reads a file that the command line names. */
export async function readInputFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const advice = 'Name a file that you can read.'
    throw new CliError('failed', `The file ${file} cannot be read: ${reasonOf(error)}. ${advice}`, { cause: error })
  })
  return utf8Text(bytes, `The file ${file}`)
}
