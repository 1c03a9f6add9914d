/** `signalbox tools` */
import { z } from 'zod'
import type { Effect } from '../../api/policy.ts'
import { effects } from '../../api/policy.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

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

export const command = toolCommand({
  takes: '<session>',
  about: [
    'Lists the tools that the agent of a session sees: the mount of each, the decision of the policy, and the name in rules',
    'if that differs. "depends" means that the decision depends on the arguments; "signalbox policy check" decides a call',
    'with arguments. The last lines name the servers that do not run, and say why.',
  ].join('\n'),
  words: oneWord,
  examples: ['signalbox tools build'],
  tool: 'list_session_tools',
  input: ({ words: [session] }) => ({ session }),
  answer: answerSchema,
  print: (answer, { display }) => renderTools(answer, fitTo(display)),
})

export function renderTools({ tools, missing = [] }: SessionTools, options: TableOptions = {}): string {
  const areRenamed = tools.some((tool) => nameInRules(tool) !== '')
  const inRules = areRenamed ? ['in rules'] : []
  const head = ['tool', 'mount', 'policy', ...inRules, 'does'].map((text): Cell => ({ text, style: 'dim' }))
  const rows = tools.map((tool): Cell[] => [
    { text: visibleText(tool.name), style: 'bold' },
    tool.mount,
    policyCell(tool.policy),
    ...(areRenamed ? [visibleText(nameInRules(tool))] : []),
    { text: visibleText(firstSentence(tool.description ?? '')), style: 'dim' },
  ])
  const missingLines = missing.map(
    ({ mount, error = 'it is still starting' }) => `${mount} is missing: ${visibleText(error)}`,
  )
  return [renderTable([head, ...rows], options), ...missingLines].join('\n')
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
