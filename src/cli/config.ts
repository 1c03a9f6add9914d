/** `signalbox config`: the outcome of flags, environment, file and defaults. */
import { createRedactor } from '../base/redact.ts'
import type { LoadedConfig } from '../config/config.ts'
import { defineCommand } from './command.ts'
import { homeFlag, jsonFlag, loadFor } from './common-flags.ts'
import { renderTable } from './table.ts'

export const command = defineCommand({
  about: 'Prints every setting, its value and where the value came from. Secrets are not shown.',
  flags: { ...homeFlag, ...jsonFlag },
  examples: ['signalbox config', 'SIGNALBOX_PORT=0 signalbox config --json'],
  async run(args, context) {
    const loaded = await loadFor(args, context)
    context.out(args.has('json') ? asJson(loaded) : asTable(loaded))
    return 'ok'
  },
})

function asJson({ sources, warnings }: LoadedConfig): string {
  const settings = Object.fromEntries(
    sources.map(({ key, value, from }) => [key, { value: shown(value) ?? null, from }]),
  )
  return JSON.stringify({ settings, warnings }, null, 2)
}

function asTable({ sources }: LoadedConfig): string {
  const rows = sources.map(({ key, value, from }) => [key, written(shown(value)), from])
  return renderTable([['setting', 'value', 'from'], ...rows])
}

const redactor = createRedactor()

/** A URL may carry a password where nobody expects one. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  return typeof value === 'string' ? redactor.text(value) : value
}

function written(value: unknown): string {
  if (value === undefined) return '–'
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
