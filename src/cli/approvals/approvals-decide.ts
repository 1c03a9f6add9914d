/** `signalbox approvals approve`, `… deny` and `… abort` */
import { approvalScopes } from '../../api/approval.ts'
import type { ApprovalDecision } from '../../api/approval.ts'
import type { Decision } from './approval-tools.ts'
import { decisionInput, decisionSchema, readPreview } from './approval-tools.ts'
import { renderGrant } from './approval-card.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { printableLine } from '../terminal-output/printable.ts'

const commonFlags = {
  reason: { takes: 'TEXT', about: 'the reason, which the agent gets too' },
  ...hubFlags,
  ...jsonFlag,
} as const
const oneId = { min: 1, max: 1 } as const

export const approve = defineCommand({
  takes: '<id>',
  about: [
    'Approves a call once. --scope session also allows the same tool with any arguments for the rest of that session.',
    '--scope rule also allows the same call in every session, or with --tool every call of the tools that match. Both create',
    'a grant: --dry-run shows it and changes nothing, "signalbox grants" lists all grants.',
  ].join('\n'),
  flags: {
    scope: { takes: 'SCOPE', about: `${approvalScopes.join(', ')} (default: once)` },
    tool: { takes: 'GLOB', about: 'with --scope rule: the tools to allow, such as "github_get_*"' },
    'dry-run': { about: 'show the grant and change nothing' },
    ...commonFlags,
  },
  words: oneId,
  examples: [
    'signalbox approvals approve a1f3b2c4d5e6',
    'signalbox approvals approve a1f3b2c4d5e6 --scope session --dry-run',
    'signalbox approvals approve a1f3b2c4d5e6 --scope rule --tool "github_get_*"',
  ],
  async run(args, context) {
    const tool = args.text('tool')
    const scope = approvalScopes.find((each) => each === (args.text('scope') ?? 'once'))
    if (scope === undefined) {
      throw new CliError('usage', `--scope is one of ${approvalScopes.join(', ')}, not "${args.text('scope')}".`)
    }
    if (tool !== undefined && scope !== 'rule') throw new CliError('usage', '--tool needs --scope rule.')
    const wider = { scope, ...(tool !== undefined && { rule: { tool } }) }
    return answer('approve', wider, args, args.has('dry-run'), context)
  },
})

export const deny = defineCommand({
  takes: '<id>',
  about: 'Refuses a call. The agent gets the refusal and continues without the call.',
  flags: commonFlags,
  words: oneId,
  examples: ['signalbox approvals deny a1f3b2c4d5e6 --reason "use the staging account"'],
  run: (args, context) => answer('deny', {}, args, false, context),
})

export const abort = defineCommand({
  takes: '<id>',
  about: 'Refuses a call, and ends the turn of the agent that made it.',
  flags: commonFlags,
  words: oneId,
  examples: ['signalbox approvals abort a1f3b2c4d5e6'],
  run: (args, context) => answer('abort', {}, args, false, context),
})

async function answer(
  decision: ApprovalDecision,
  wider: Readonly<Record<string, unknown>>,
  args: Arguments<keyof typeof commonFlags>,
  isDryRun: boolean,
  context: CliContext,
): Promise<Exit> {
  const input = { ...decisionInput(args.words[0] ?? '', decision, args.text('reason')), ...wider }
  using hub = await openHubClient(args, context)
  const result = await ask(hub, 'decide_approval', { ...input, ...(isDryRun && { dry_run: true }) })
  if (args.has('json')) context.out(JSON.stringify(result, null, 2))
  else if (isDryRun) for (const line of linesOfPreview(result)) context.out(line)
  else for (const line of linesOfDecision(decisionSchema.parse(result))) context.out(line)
  return 'ok'
}

function linesOfPreview(result: unknown): readonly string[] {
  const grant = readPreview(result)
  return grant ? renderGrant(grant) : ['This approval would create no grant: it is for this call only.']
}

function linesOfDecision({ id, session, tool, status, grant, note }: Decision): readonly string[] {
  const created = grant === undefined ? '' : ` Created grant ${grant}.`
  return [`${id} is ${status}: ${printableLine(tool)} in ${session}.${created}`, ...(note === undefined ? [] : [note])]
}
