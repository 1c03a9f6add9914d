/** `[mcp_servers.<name>]` of Codex. */
import { parse, TomlError } from 'smol-toml'
import { HubError } from '../../base/hub-error.ts'
import { entriesOf } from './json.ts'
import type { Found } from './read.ts'

export function readCodexToml(text: string): Found {
  try {
    return { entries: entriesOf(parse(text)) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its own message quotes the lines around, and those may hold a secret.
    const [sentence = ''] = error.message.split('\n')
    throw new HubError('invalid', `"text": it is no TOML: ${sentence} at line ${error.line}, column ${error.column}.`)
  }
}
