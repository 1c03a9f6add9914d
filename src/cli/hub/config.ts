/** `signalbox config`: the settings that result from flags, environment, file and defaults. */
import type { Redactor } from '../../base/redact.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { defineCommand } from '../command/command.ts'
import { homeFlag, jsonFlag, loadFor } from '../command/common-flags.ts'
import { createRedactorFor } from '../command/redactor.ts'
import { renderTable } from '../terminal-output/table.ts'

export const command = defineCommand({
  about: 'Prints every setting, its value and its source. Hides secrets.',
  flags: { ...homeFlag, ...jsonFlag },
  examples: ['signalbox config', 'SIGNALBOX_PORT=0 signalbox config --json'],
  async run(args, context) {
    const loaded = await loadFor(args, context)
    const redactor = createRedactorFor(await context.readEnvironment())
    const sources = loaded.sources.map((source) => ({ ...source, value: redacted(source.value, redactor) }))
    context.out(args.has('json') ? asJson(sources, loaded.warnings) : asTable(sources))
    return 'ok'
  },
})

function asJson(sources: LoadedConfig['sources'], warnings: readonly string[]): string {
  const settings = Object.fromEntries(sources.map(({ key, value, from }) => [key, { value: value ?? null, from }]))
  return JSON.stringify({ settings, warnings }, null, 2)
}

function asTable(sources: LoadedConfig['sources']): string {
  return renderTable([
    ['setting', 'value', 'from'],
    ...sources.map(({ key, value, from }) => [key, format(value), from]),
  ])
}

/** Redacts every value, because a URL may contain a password. */
function redacted(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((each) => redacted(each, redactor))
  if (typeof value === 'object') return redactor.value(value)
  return typeof value === 'string' ? redactor.text(value) : value
}

function format(value: unknown): string {
  if (value === undefined) return '–'
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
