/** `signalbox templates` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, TableOptions } from './table.ts'

const listed = z.looseObject({
  name: z.string(),
  label: z.string().optional(),
  description: z.string().optional(),
  available: z.boolean(),
  why_not: z.string().optional(),
  source: z.string(),
})
const broken = z.looseObject({ path: z.string(), line: z.number().optional(), reason: z.string() })
const list = z.looseObject({ templates: z.array(listed), broken: z.array(broken).default([]) })

export type ListedTemplate = z.output<typeof listed>

export const command = defineCommand({
  about: 'Lists the kinds of session that can be started, and what to install for those that cannot.',
  flags: { all: { about: 'also those that are not meant for people' }, ...hubFlags, ...jsonFlag },
  examples: ['signalbox templates'],
  async run(args, context) {
    const answer = list.parse(await askHub('list_templates', { hidden: args.has('all') }, args, context))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    const options = fitTo(context.display())
    context.out(renderTemplates(answer.templates, options))
    for (const { path, line, reason } of answer.broken) {
      context.err(`signalbox: warning: ${path}${line === undefined ? '' : `:${line}`} is no template: ${reason}`)
    }
    return 'ok'
  },
})

export function renderTemplates(templates: readonly ListedTemplate[], options: TableOptions = {}): string {
  const rows = templates.map(({ name, description, label, available, why_not, source }): Cell[] => [
    name,
    source === 'shipped' ? 'shipped' : 'yours',
    available ? { text: 'yes', style: 'green' } : { text: 'no', style: 'yellow' },
    (available ? (description ?? label) : why_not) ?? '–',
  ])
  return renderTable([['name', 'from', 'ready', 'what it is, or what it lacks'], ...rows], options)
}
