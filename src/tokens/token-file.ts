/** The person's own token, kept for the CLI in a file only they can read. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import type { Tokens } from './tokens.ts'

/** Answers the text of a token that works: the one in the file, or a new one. */
export async function ensureTokenFile(path: string, tokens: Tokens): Promise<string> {
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (kept !== '' && (await tokens.authenticate(kept))?.role === 'human') {
    await chmod(path, 0o600)
    return kept
  }
  const { text } = await tokens.issue({ role: 'human', label: 'the token file' })
  // Written whole or not at all: a torn file would lock the CLI out.
  await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return text
}
