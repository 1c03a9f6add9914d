/** `signalbox token issue`: prints only the token to stdout, for scripts, and its description to stderr. */
import { z } from 'zod'
import { messageOf } from '../../base/hub-error.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { readDuration } from '../command/duration-flag.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'

const issued = z.object({
  token: z.string(),
  id: z.string(),
  role: z.string(),
  session: z.string().optional(),
  expires_at: z.string().optional(),
})

export const command = defineCommand({
  takes: '--role human|agent',
  about: [
    'Issues a token and prints it once: the hub keeps only its hash. A human token gives access to the management tools, an',
    'agent token to the tools of its session.',
  ].join('\n'),
  flags: {
    role: { takes: 'ROLE', about: 'human for a person, agent for a session (required)' },
    session: { takes: 'NAME', about: 'the session of an agent token' },
    label: { takes: 'TEXT', about: 'its name in the list of tokens' },
    'expires-in': { takes: 'TIME', about: 'how long it is valid: 90s, 15m, 12h, 7d (default: until revoked)' },
    toolsets: { takes: 'A,B', about: 'the toolsets that are listed by default' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: [
    'signalbox token issue --role human --label phone --expires-in 7d',
    'signalbox token issue --role agent --session fix-login',
  ],
  async run(args, context) {
    const role = args.text('role')
    if (role !== 'human' && role !== 'agent') {
      throw new CliError('usage', 'Choose who the token is for: --role human or --role agent.')
    }
    const session = args.text('session')
    if (role === 'agent' && session === undefined) {
      throw new CliError(
        'usage',
        'The token of an agent needs a session: --session NAME. "signalbox ls" lists the names.',
      )
    }
    const label = args.text('label')
    const expiresIn = args.has('expires-in') ? readDuration(args, 'expires-in', '') / 1000 : undefined
    const toolsets = args.text('toolsets')
    const answer = issued.parse(
      await askHub(
        'issue_token',
        {
          role,
          ...(session !== undefined && { session }),
          ...(label !== undefined && { label }),
          ...(expiresIn !== undefined && { expires_in: expiresIn }),
          ...(toolsets !== undefined && { toolsets: toolsets.split(',').map((name) => name.trim()) }),
        },
        args,
        context,
      ),
    )
    const shown = args.has('json') ? JSON.stringify(answer, null, 2) : answer.token
    await context.write(`${shown}\n`).catch(async (error: unknown) => {
      throw new CliError('failed', `${messageOf(error)} ${await revoke(answer.id, args, context)}`, { cause: error })
    })
    if (args.has('json')) return 'ok'
    const until = answer.expires_at ? `until ${answer.expires_at}` : 'until you revoke it'
    context.err(`Token ${answer.id} (${answer.role}) is valid ${until}. It is not shown again.`)
    return 'ok'
  },
})

/** A token that was not printed is useful only to a thief. */
async function revoke(id: string, args: HubArguments, context: CliContext): Promise<string> {
  try {
    await askHub('revoke_token', { id }, args, context)
    return `Token ${id} was not printed and is revoked.`
  } catch (error) {
    return `Token ${id} is still valid, because it could not be revoked: ${messageOf(error)} Run "signalbox token revoke ${id}".`
  }
}
