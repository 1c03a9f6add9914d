/** `signalbox approvals approve`, `… deny` and `… abort` */
import { approvalSchema, approvalScopes } from '../api/approval.ts'
import type { Approval, ApprovalDecision } from '../api/approval.ts'
import { decisionInput, readPreview } from './approval-answer.ts'
import { renderGrant } from './approval-card.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { Arguments, CliContext } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import type { Exit } from './exit-codes.ts'

const commonFlags = {
  reason: { takes: 'TEXT', about: 'why; the agent is told' },
  ...hubFlags,
  ...jsonFlag,
} as const
const oneId = { min: 1, max: 1 } as const

export const approve = defineCommand({
  takes: '<id>',
  about: [
    'Lets a call through, once. With --scope session the same tool is not asked for again in that session, whatever the',
    'arguments; with --scope rule the same call is not, in any session, or with --tool every call of the tools that fit. What',
    'that leaves behind is a grant: --dry-run shows it and changes nothing, "signalbox grants" lists them.',
  ].join('\n'),
  flags: {
    scope: { takes: 'SCOPE', about: `${approvalScopes.join(', ')} (default: once)` },
    tool: { takes: 'GLOB', about: 'with --scope rule: the tools, such as "github_get_*"' },
    'dry-run': { about: 'show what would be granted' },
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
    if (tool !== undefined && scope !== 'rule') throw new CliError('usage', '--tool goes with --scope rule.')
    const wider = { scope, ...(tool !== undefined && { rule: { tool } }) }
    return answer('approve', wider, args, args.has('dry-run'), context)
  },
})

export const deny = defineCommand({
  takes: '<id>',
  about: 'Refuses a call. The agent is told, and goes on without it.',
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
  await using hub = await connectFrom(args, context)
  const result = await ask(hub, 'decide_approval', { ...input, ...(isDryRun && { dry_run: true }) })
  if (args.has('json')) context.out(JSON.stringify(result, null, 2))
  else if (isDryRun) for (const line of linesOfPreview(result)) context.out(line)
  else context.out(sentenceOn(approvalSchema.parse(result)))
  return 'ok'
}

function linesOfPreview(result: unknown): readonly string[] {
  const grant = readPreview(result)
  return grant ? renderGrant(grant) : ['Nothing would be granted: it is for this call alone.']
}

function sentenceOn({ id, session, tool, status, grant }: Approval): string {
  const left = grant === undefined ? '' : ` It leaves the grant ${grant}.`
  return `${id} is ${status}: ${tool} in ${session}.${left}`
}
