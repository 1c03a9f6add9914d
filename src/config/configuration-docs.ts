/** Renders `docs/configuration.md` from the schema. */
import { settingGroups } from './setting.ts'
import { settings } from './settings.ts'
import type { Setting } from './settings.ts'

export const configurationDocsCommand = 'npm run docs:configuration'

export function renderConfigurationDocs(): string {
  return `${[introduction, ...Object.entries(settingGroups).map(([group, title]) => section(group, title))].join('\n\n')}\n`
}

const introduction = `# Configuration

<!-- Written by \`${configurationDocsCommand}\` from src/config/settings.ts: change that file, not this one. -->

You can set a value in three places. The first place that has it wins:

1. a flag of \`signalbox up\`, for values that change from one start to the next,
2. the environment,
3. \`config.yaml\` in the data directory.

If no place has it, the default applies. \`signalbox config\` prints every value and its source.

\`\`\`yaml
# ~/.signalbox/config.yaml
port: 7500
log_level: debug
allowed_hosts: [hub.example.org]
\`\`\`

The hub does not start with an invalid value, or with an unknown key in \`config.yaml\`. The message names the place and
the allowed values. An unknown environment variable \`SIGNALBOX_…\` causes a warning. An empty variable counts as absent,
except for a secret: an empty secret is an error. Secrets are never printed.`

function section(group: string, title: string): string {
  const rows = settings.filter((each) => each.group === group).map(row)
  return `## ${title}\n\n${table([['config.yaml', 'environment', 'flag', 'default', 'purpose'], ...rows])}`
}

function row(each: Setting): string[] {
  return [
    each.notInFile === undefined ? code(each.key) : '–',
    code(each.environment),
    each.flag === undefined ? '–' : code(`--${each.flag}`),
    defaultOf(each),
    `${each.description} Takes ${each.kind.takes}.${each.secret ? ' Secret.' : ''}`,
  ]
}

function defaultOf({ fallback }: Setting): string {
  const written = fallback?.toString() ?? ''
  return written === '' ? 'none' : code(written)
}

function code(text: string): string {
  return `\`${text}\``
}

/** Pads the table as the formatter does, so that formatting does not change the page. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const lines = rows.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
