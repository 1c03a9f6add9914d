/** Reads `[mcp_servers.<name>]` of Codex. */
import { parse, TomlError } from 'smol-toml'
import { HubError } from '../../base/hub-error.ts'
import type { Found } from './found.ts'
import { entriesOf } from './json.ts'

export function readCodexToml(text: string): Found {
  try {
    return { entries: entriesOf(parse(text)) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The parser's message quotes nearby lines, which may contain a secret.
    const [sentence = ''] = error.message.split('\n')
    throw new HubError(
      'invalid',
      `"text": it is not valid TOML: ${sentence} at line ${error.line}, column ${error.column}.`,
    )
  }
}
