import { messageOf } from './hub-error.ts'
import { shortReason } from './short-reason.ts'

const longest = 1_000

/** Git's own message, or why git could not be run. */
export function whyGitFailed(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown }
  if (code === 'ENOENT') return 'git is not installed, or not on the hub’s PATH.'
  // Prefer the output of git: the error message starts with the whole command.
  const why = typeof stderr === 'string' && stderr !== '' ? stderr.trim() : messageOf(error)
  // The reason comes after all warnings, and a repository decides how many these are.
  return shortReason(why.length > longest ? `...${why.slice(-longest)}` : why)
}
