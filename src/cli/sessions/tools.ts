/** `signalbox tools` */
import { z } from 'zod'
import type { Effect } from '../../api/policy.ts'
import { effects } from '../../api/policy.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'
import { CliError } from '../command/cli-error.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag, loadFor } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'
import { findHub, withAllToolsets } from '../hub-client/hub-address.ts'
import { createHubClient } from '../hub-client/hub-client.ts'

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
  takes: '<session> | --management',
  about: [
    'Lists the tools that the agent of a session sees: the mount of each, the decision of the policy, and the name in rules',
    'if that differs. "depends" means that the decision depends on the arguments; "signalbox policy check" decides a call',
    'with arguments. The last lines name the servers that do not run, and say why.',
    'With --management, lists the tools that you can call with "signalbox call".',
  ].join('\n'),
  flags: { management: { about: 'the tools of your own token, instead of a session’s' }, ...hubFlags, ...jsonFlag },
  words: { min: 0, max: 1 },
  examples: ['signalbox tools build', 'signalbox tools --management'],
  async run(args, context) {
    if (args.has('management') === args.words.length > 0) {
      throw new CliError('usage', 'Name a session, such as "signalbox tools build", or write --management.')
    }
    if (args.has('management')) return listOwnTools(args, context)
    const answer = answerSchema.parse(await askHub('list_session_tools', { session: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : renderTools(answer, fitTo(context.display())))
    return 'ok'
  },
})

const ownTool = z.looseObject({ name: z.string(), description: z.string().optional() })

async function listOwnTools(args: HubArguments & Arguments<'json'>, context: CliContext): Promise<Exit> {
  const { config } = await loadFor(args, context)
  const address = findHub(config, { url: args.text('url'), tokenFile: args.text('token-file') })
  using hub = createHubClient(withAllToolsets(address))
  const tools = z.array(ownTool).parse(await hub.listTools())
  if (args.has('json')) context.out(JSON.stringify({ tools }, null, 2))
  else {
    const rows = tools.map(({ name, description = '' }): Cell[] => [
      { text: visibleText(name), style: 'bold' },
      { text: visibleText(firstSentence(description)), style: 'dim' },
    ])
    const head = ['tool', 'does'].map((text): Cell => ({ text, style: 'dim' }))
    context.out(renderTable([head, ...rows], fitTo(context.display())))
  }
  return 'ok'
}

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
