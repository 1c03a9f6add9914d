/** `docs/configuration.md`, written from the schema. */
import { settingGroups, settings } from './settings.ts'
import type { Setting } from './settings.ts'

export const configurationDocsCommand = 'npm run docs:configuration'

export function renderConfigurationDocs(): string {
  return `${[introduction, ...Object.entries(settingGroups).map(([group, title]) => section(group, title))].join('\n\n')}\n`
}

const introduction = `# Configuration

<!-- Written by \`${configurationDocsCommand}\` from src/config/settings.ts: change that file, not this one. -->

Every setting can be given in three places. The first that has it wins:

1. a flag of \`signalbox up\`, for what changes from one start to the next,
2. the environment,
3. \`config.yaml\` in the data directory,

and otherwise its default counts. \`signalbox config\` prints every value and where it came from.

\`\`\`yaml
# ~/.signalbox/config.yaml
port: 7500
log_level: debug
allowed_hosts: [hub.example.org]
\`\`\`

A value that does not fit, and a key in \`config.yaml\` that does not exist, keep the hub from starting; the message names
the place and what would work. An environment variable \`SIGNALBOX_…\` that does not exist is a warning. An empty variable
counts as absent, except for secrets: those are an error when empty. Secrets are never printed.

This release answers no questions about repositories: the settings of that group are read and checked, and change
nothing.`

function section(group: string, title: string): string {
  const rows = settings.filter((each) => each.group === group).map(row)
  return `## ${title}\n\n${table([['config.yaml', 'environment', 'flag', 'default', 'what it is for'], ...rows])}`
}

function row(each: Setting): string[] {
  return [
    each.notInFile === undefined ? code(each.key) : '–',
    code(each.environment),
    each.flag === undefined ? '–' : code(`--${each.flag}`),
    defaultOf(each),
    `${each.description} Takes ${each.takes}.${each.secret ? ' Secret.' : ''}`,
  ]
}

function defaultOf({ defaultValue }: Setting): string {
  const written = defaultValue?.toString() ?? ''
  return written === '' ? 'none' : code(written)
}

function code(text: string): string {
  return `\`${text}\``
}

/** Padded as the formatter would, so that formatting leaves the page as it was written. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const lines = rows.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
