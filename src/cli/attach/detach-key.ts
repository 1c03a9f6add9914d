import { CliError } from '../command/cli-error.ts'
import type { DetachKey } from './attach-session.ts'

/** Reads `ctrl-]`, `Ctrl+\` or `^q`. */
export function readDetachKey(text: string): DetachKey {
  const [, key] = /^(?:ctrl[-+]|\^)([a-z[\\\]^_])$/i.exec(text) ?? []
  if (key === undefined) {
    // The message must not name the flag: the redactor takes the text after a word that ends in "key" for a secret.
    throw new CliError(
      'usage',
      `"${text}" cannot detach you from a session. Use Ctrl with a letter or with one of [ \\ ] ^ _, such as ctrl-].`,
    )
  }
  const upper = key.toUpperCase()
  return { character: String.fromCharCode(upper.charCodeAt(0) - 0x40), name: `Ctrl-${upper}` }
}
