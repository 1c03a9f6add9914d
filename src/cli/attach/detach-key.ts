import { CliError } from '../cli-error.ts'
import type { DetachKey } from './attach-session.ts'

/** `ctrl-]`, `Ctrl+\` or `^q`. */
export function readDetachKey(text: string): DetachKey {
  const [, key] = /^(?:ctrl[-+]|\^)([a-z[\\\]^_])$/i.exec(text) ?? []
  if (key === undefined) {
    // Without the name of the flag: what follows a name that ends in "key" is taken for a secret and not shown.
    throw new CliError(
      'usage',
      `A session is left with Ctrl and a letter, or Ctrl and one of [ \\ ] ^ _, such as ctrl-], not with "${text}".`,
    )
  }
  const upper = key.toUpperCase()
  return { character: String.fromCharCode(upper.charCodeAt(0) - 0x40), name: `Ctrl-${upper}` }
}
