/** Converts pasted text or the content of a file, in any known format for MCP servers, to drafts of connectors. */
import { HubError } from '../../base/hub-error.ts'
import { readCodexToml } from './codex-toml.ts'
import { isCommandLine, readCommandLines } from './command-line.ts'
import type { Draft } from './entry.ts'
import { toConnectorName, toDraft } from './entry.ts'
import type { Asked } from './foreign-variables.ts'
import { translate } from './foreign-variables.ts'
import type { Found } from './found.ts'
import { readJson } from './json.ts'

export const importFormats = ['command', 'json', 'toml'] as const
export type ImportFormat = (typeof importFormats)[number]

export interface Read {
  readonly drafts: readonly Draft[]
  /** The names to remove. Only command lines can ask for a removal. */
  readonly remove: readonly string[]
  /** The variables for values that the other program would ask the person for. */
  readonly asked: readonly Asked[]
  readonly warnings: readonly string[]
}

export interface ReadOptions {
  readonly format?: ImportFormat | undefined
  /** Whether `$VAR` without braces is a reference, as in Gemini. */
  readonly hasBareVariables?: boolean
}

export function readConnectors(text: string, { format, hasBareVariables = false }: ReadOptions = {}): Read {
  const found = readers[format ?? guess(text)](text)
  const asked: Asked[] = []
  const drafts = found.entries.map(([name, entry]) => {
    const draft = toDraft(name, entry)
    const translated = translate(draft, { inputs: found.inputs ?? new Map(), hasBareVariables })
    asked.push(...translated.asked)
    return translated.draft
  })
  const remove = (found.remove ?? []).map(toConnectorName)
  const warnings = [...(found.warnings ?? []), ...drafts.flatMap((draft) => draft.warnings)]
  if (drafts.length === 0 && remove.length === 0) {
    throw new HubError(
      'invalid',
      [
        '"text": there is no MCP server in it.',
        ...warnings,
        'It takes "mcp add …" lines, JSON with "mcpServers", or TOML.',
      ].join(' '),
    )
  }
  return { drafts, remove, asked, warnings }
}

const readers: Readonly<Record<ImportFormat, (text: string) => Found>> = {
  command: readCommandLines,
  json: readJson,
  toml: readCodexToml,
}

function guess(text: string): ImportFormat {
  if (isCommandLine(text)) return 'command'
  if (/^[ \t]*(?:\[+[\w."'-]+\]+|[\w."-]+[ \t]*=)/m.test(text) && !/^\s*[{/]/.test(text)) return 'toml'
  return 'json'
}
