import { messageOf } from './hub-error.ts'

/** Git's own message, or why git could not be run. */
export function whyGitFailed(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown }
  if (code === 'ENOENT') return 'git is not installed, or not on the hub’s PATH.'
  // Prefer the output of git: the error message starts with the whole command.
  return typeof stderr === 'string' && stderr !== '' ? stderr.trim() : messageOf(error)
}
