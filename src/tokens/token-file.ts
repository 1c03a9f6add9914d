/** The file with the person's own token, for the CLI. Only the person can read it. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { HubError } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'
import type { Tokens } from './token.ts'

/** Returns the text of a valid token: the one in the file, or a new one. */
export async function ensureTokenFile(path: string, tokens: Tokens): Promise<string> {
  const existing = (await readIfThere(path)).trim()
  if (existing !== '' && (await tokens.authenticate(existing))?.role === 'human') {
    await chmod(path, 0o600)
    return existing
  }
  const { text } = await tokens.issue({ role: 'human', label: 'the token file' })
  // Replaced atomically, because a truncated file would lock the CLI out.
  await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return text
}

/** Throws if the file cannot be read: it may hold a valid token, and a second one must not be issued. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    const why = `The hub cannot read the token file ${path}: ${systemReason(error)}. Fix that, or delete it to get a new token.`
    throw new HubError('unavailable', why, { cause: error })
  }
}
