/** `signalbox policy check` */
import { z } from 'zod'
import { decisionSchema } from '../api/policy.ts'
import { messageOf } from '../base/hub-error.ts'
import { askHub } from './ask-hub.ts'
import type { HubArguments } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import type { Arguments, CliContext } from './command.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import type { Exit } from './exit-codes.ts'
import { checkPolicy, readPolicyFile } from './policy-file.ts'
import { shownText } from './shown-text.ts'

const decisionAnswer = decisionSchema.extend({ why: z.string() })

export const command = defineCommand({
  takes: '<file | -> | --session <session> <tool>',
  about: [
    'With a file: whether it is a policy that can be saved, its examples included. No hub is needed; what is wrong is told',
    'with its line, and the exit code is 1.',
    '',
    'With --session: what would be decided if the agent of that session called this tool, and why. Nothing is called.',
  ].join('\n'),
  flags: {
    session: { takes: 'SESSION', about: 'decide a call of this session, by name or id' },
    arguments: { takes: 'JSON', about: 'the arguments of that call (default: {})' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: [
    'signalbox policy check policy.yaml',
    `signalbox policy check --session fix-tests github_merge --arguments '{"repo": "prod"}'`,
  ],
  async run(args, context) {
    const [word = ''] = args.words
    const session = args.text('session')
    if (session !== undefined) return checkCall(session, word, args, context)
    if (args.text('arguments') !== undefined) {
      throw new CliError('usage', 'Whose call is it? Add --session SESSION, and name the tool in place of the file.')
    }
    return checkFile(word, args, context)
  },
})

async function checkFile(file: string, args: Arguments<'json'>, context: CliContext): Promise<Exit> {
  const check = await checkPolicy(await readPolicyFile(file, context))
  const name = file === '-' ? 'stdin' : file
  if (check.is === 'broken') {
    if (!args.has('json')) throw new CliError('failed', `${name}, ${check.fault}`)
    context.out(JSON.stringify({ ok: false, error: check.fault, line: check.line }, null, 2))
    return 'failed'
  }
  const { rules, default: fallback } = check.policy
  const count = rules.length
  if (args.has('json')) context.out(JSON.stringify({ ok: true, rules: count, default: fallback }, null, 2))
  else
    context.out(`${name} is a policy: ${count} ${count === 1 ? 'rule' : 'rules'}, default ${fallback ?? 'not stated'}.`)
  return 'ok'
}

async function checkCall(
  session: string,
  tool: string,
  args: HubArguments & Arguments<'arguments' | 'json'>,
  context: CliContext,
): Promise<Exit> {
  const input = { session, tool, arguments: parseArguments(args.text('arguments') ?? '{}') }
  const answer = decisionAnswer.loose().parse(await askHub('check_call', input, args, context))
  if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
  else context.out(`${answer.effect}: ${shownText(answer.why)} (${answer.policy_version})`)
  return 'ok'
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is no JSON object' : messageOf(error)
    throw new CliError('usage', `--arguments takes JSON such as '{"repo": "prod"}': ${why}.`, { cause: error })
  }
}
