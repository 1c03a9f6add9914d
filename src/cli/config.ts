/** `signalbox config`: the outcome of flags, environment, file and defaults. */
import type { Redactor } from '../base/redact.ts'
import type { LoadedConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { homeFlag, jsonFlag, loadFor } from './common-flags.ts'
import { createRedactorFor } from './redactor.ts'
import { renderTable } from './table.ts'

export const command = defineCommand({
  about: 'Prints every setting, its value and where the value came from. Secrets are not shown.',
  flags: { ...homeFlag, ...jsonFlag },
  examples: ['signalbox config', 'SIGNALBOX_PORT=0 signalbox config --json'],
  async run(args, context) {
    const loaded = await loadFor(args, context)
    const redactor = createRedactorFor(await context.readEnvironment())
    const sources = loaded.sources.map((source) => ({ ...source, value: shown(source.value, redactor) }))
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
    ...sources.map(({ key, value, from }) => [key, written(value), from]),
  ])
}

/** A URL may carry a password where nobody expects one. */
function shown(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((each) => shown(each, redactor))
  return typeof value === 'string' ? redactor.text(value) : value
}

function written(value: unknown): string {
  if (value === undefined) return '–'
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
