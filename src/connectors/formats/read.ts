/** What somebody pasted or has in a file, in any of the forms that programs use for MCP servers, as drafts of connectors. */
import { HubError } from '../../base/hub-error.ts'
import { readCodexToml } from './codex-toml.ts'
import { isCommandLine, readCommandLines } from './command-line.ts'
import { type Draft, toConnectorName, toDraft } from './entry.ts'
import { type Asked, translate } from './foreign-variables.ts'
import { readJson } from './json.ts'

export const importFormats = ['command', 'json', 'toml'] as const
export type ImportFormat = (typeof importFormats)[number]

export interface Read {
  readonly drafts: readonly Draft[]
  /** Names; only a command line can ask for that. */
  readonly remove: readonly string[]
  /** Variables for what the other program would have asked the person. */
  readonly asked: readonly Asked[]
  readonly warnings: readonly string[]
}

/** What a reader finds: servers as they are written. */
export interface Found {
  readonly entries: readonly (readonly [name: string, entry: Readonly<Record<string, unknown>>])[]
  readonly remove?: readonly string[]
  readonly warnings?: readonly string[]
  /** What `${input:id}` stands for, where the file says. */
  readonly inputs?: ReadonlyMap<string, string>
}

export interface ReadOptions {
  readonly format?: ImportFormat | undefined
  /** `$VAR` without braces is a reference, as Gemini has it. */
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
