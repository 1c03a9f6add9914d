/** `signalbox tools` */
import { z } from 'zod'
import type { Effect } from '../api/policy.ts'
import { effects } from '../api/policy.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { shownText } from './shown-text.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, StyledCell, TableOptions } from './table.ts'

const answerSchema = z.object({
  session: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      mount: z.string(),
      original: z.string().optional(),
      description: z.string().optional(),
      policy: z.enum(effects).optional(),
    }),
  ),
  missing: z.array(z.object({ mount: z.string(), state: z.string(), error: z.string().optional() })).optional(),
})
type SessionTools = z.output<typeof answerSchema>

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Lists the tools that the agent of a session sees: from which mount each comes, what the policy says of it, and the name',
    'that rules have for it, where that is another. "depends" stands where the arguments make a difference; "signalbox policy',
    'check" decides a call with arguments. What is missing, because its server does not run, is told with the reason.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox tools build'],
  async run(args, context) {
    const answer = answerSchema.parse(await askHub('list_session_tools', { session: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : renderTools(answer, fitTo(context.display())))
    return 'ok'
  },
})

export function renderTools({ tools, missing = [] }: SessionTools, options: TableOptions = {}): string {
  const areRenamed = tools.some((tool) => nameInRules(tool) !== '')
  const inRules = areRenamed ? ['in rules'] : []
  const head = ['tool', 'mount', 'policy', ...inRules, 'does'].map((text): Cell => ({ text, style: 'dim' }))
  const rows = tools.map((tool): Cell[] => [
    { text: shownText(tool.name), style: 'bold' },
    tool.mount,
    policyCell(tool.policy),
    ...(areRenamed ? [shownText(nameInRules(tool))] : []),
    { text: shownText(firstSentence(tool.description ?? '')), style: 'dim' },
  ])
  const gone = missing.map(({ mount, error = 'it is still starting' }) => `${mount} is missing: ${shownText(error)}`)
  return [renderTable([head, ...rows], options), ...gone].join('\n')
}

function policyCell(effect: Effect | undefined): Cell {
  return effect === undefined ? { text: 'depends', style: 'cyan' } : { text: effect, style: styles[effect] }
}

const styles: Readonly<Record<Effect, StyledCell['style']>> = {
  allow: 'green',
  ask: 'yellow',
  deny: 'red',
  abort: ['bold', 'red'],
}

function nameInRules({ name, mount, original }: SessionTools['tools'][number]): string {
  const inRules = original === undefined ? name : `${mount}_${original}`
  return inRules === name ? '' : inRules
}

function firstSentence(description: string): string {
  const [paragraph = ''] = description.trim().split('\n')
  return paragraph.replace(/([.!?]) .*$/, '$1')
}
