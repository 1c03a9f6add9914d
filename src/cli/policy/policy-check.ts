/** `signalbox policy check` */
import { z } from 'zod'
import { decisionSchema } from '../../api/policy.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { readJsonObject } from '../command/json-input.ts'
import { checkPolicy, readPolicyFile } from './policy-file.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

const decisionAnswer = decisionSchema.extend({ why: z.string() })

export const command = defineCommand({
  takes: '<file | -> | --session <session> <tool>',
  about: [
    'With a file: checks that it is a valid policy and that its examples pass. This needs no hub. An error names its line,',
    'and the exit code is 1.',
    '',
    'With --session: decides whether the agent of that session may call this tool, and says why. It does not make the call.',
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
      throw new CliError(
        'usage',
        '--arguments needs a session. Add --session SESSION, and name the tool instead of the file.',
      )
    }
    return checkFile(word, args, context)
  },
})

async function checkFile(file: string, args: Arguments<'json'>, context: CliContext): Promise<Exit> {
  const check = await checkPolicy(await readPolicyFile(file, context))
  const name = file === '-' ? 'stdin' : file
  if (check.is === 'invalid') {
    if (!args.has('json')) throw new CliError('failed', `${name}, ${check.fault}`, { cause: check })
    context.out(JSON.stringify({ ok: false, error: check.fault, line: check.line }, null, 2))
    return 'failed'
  }
  const { rules, default: fallback } = check.policy
  const count = rules.length
  if (args.has('json')) context.out(JSON.stringify({ ok: true, rules: count, default: fallback }, null, 2))
  else
    context.out(
      `${name} is a valid policy: ${count} ${count === 1 ? 'rule' : 'rules'}, default ${fallback ?? 'not set'}.`,
    )
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
  else context.out(`${answer.effect}: ${visibleText(answer.why)} (${answer.policy_version})`)
  return 'ok'
}

function parseArguments(text: string): Record<string, unknown> {
  const input = readJsonObject(text)
  if (input.is === 'object') return input.value
  throw new CliError('usage', `--arguments takes JSON such as '{"repo": "prod"}', and ${input.fault}.`)
}
