/** `signalbox templates` and `signalbox templates delete` */
import { z } from 'zod'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, TableOptions } from '../terminal-output/table.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

const listed = z.looseObject({
  name: z.string(),
  label: z.string().optional(),
  description: z.string().optional(),
  available: z.boolean(),
  why_not: z.string().optional(),
  source: z.string(),
})
const broken = z.looseObject({ path: z.string(), line: z.number().optional(), reason: z.string() })

export type ListedTemplate = z.output<typeof listed>

export const list = toolCommand({
  about: 'Lists the templates, and what to install for those that are not ready.',
  flags: { all: { about: 'include templates that are not meant for people' } },
  examples: ['signalbox templates'],
  tool: 'list_templates',
  input: (args) => ({ hidden: args.has('all') }),
  answer: z.looseObject({ templates: z.array(listed), broken: z.array(broken).default([]) }),
  print: ({ templates, broken: files }, { display }) => ({
    out: renderTemplates(templates, fitTo(display)),
    err: files.map(
      ({ path, line, reason }) =>
        `signalbox: warning: ${path}${line === undefined ? '' : `:${line}`} is not a template: ${reason}`,
    ),
  }),
})

export const remove = toolCommand({
  takes: '<name>',
  about: 'Deletes your own template. Shipped templates stay. Running sessions keep its policy.',
  words: oneWord,
  examples: ['signalbox templates delete reviewer'],
  tool: 'delete_template',
  input: ({ words: [name] }) => ({ name }),
  answer: z.object({ name: z.string(), sessions: z.array(z.string()), note: z.string().optional() }),
  print: ({ name, note }) => `Deleted template ${name}.${note === undefined ? '' : ` ${note}`}`,
})

export function renderTemplates(templates: readonly ListedTemplate[], options: TableOptions = {}): string {
  const rows = templates.map(({ name, description, label, available, why_not, source }): Cell[] => [
    name,
    source === 'shipped' ? 'shipped' : 'yours',
    available ? { text: 'yes', style: 'green' } : { text: 'no', style: 'yellow' },
    available ? (description ?? label ?? '–') : { text: why_not ?? '–', style: 'dim', isWhole: true },
  ])
  return renderTable([['name', 'from', 'ready', 'description, or what is missing'], ...rows], options)
}
