import { CliError } from '../command/cli-error.ts'
import type { DetachKey } from './attach-session.ts'

/** Reads `ctrl-]`, `Ctrl+\` or `^q`. */
export function readDetachKey(text: string): DetachKey {
  const [, key] = /^(?:ctrl[-+]|\^)([a-z[\\\]^_])$/i.exec(text) ?? []
  if (key === undefined) {
    throw new CliError(
      'usage',
      `--detach-key takes Ctrl with a letter or with one of [ \\ ] ^ _, such as ctrl-], not "${text}".`,
    )
  }
  const upper = key.toUpperCase()
  return { character: String.fromCharCode(upper.charCodeAt(0) - 0x40), name: `Ctrl-${upper}` }
}
