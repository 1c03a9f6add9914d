/** `signalbox token issue`: the token alone on stdout, so that a script can take it; what it is on stderr. */
import { z } from 'zod'
import { messageOf } from '../base/hub-error.ts'
import { askHub } from './ask-hub.ts'
import type { HubArguments } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

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
    'Makes a token and prints it, once: the hub keeps only its hash. A human token reaches the management tools; an agent',
    'token reaches what the session it names may use.',
  ].join('\n'),
  flags: {
    role: { takes: 'ROLE', about: 'human for a person, agent for a session (required)' },
    session: { takes: 'NAME', about: 'the session of an agent token' },
    label: { takes: 'TEXT', about: 'what you will know it by in the list' },
    'expires-in': { takes: 'TIME', about: 'how long it is good for: 90s, 15m, 12h, 7d (default: for ever)' },
    toolsets: { takes: 'A,B', about: 'the toolsets listed to whoever uses it and names none' },
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
      throw new CliError('usage', 'Say for whom the token is: --role human or --role agent.')
    }
    const session = args.text('session')
    const label = args.text('label')
    const expiresIn = args.text('expires-in')
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
      throw new CliError('failed', `${messageOf(error)} ${await takeBack(answer.id, args, context)}`, { cause: error })
    })
    if (args.has('json')) return 'ok'
    const until = answer.expires_at ? `until ${answer.expires_at}` : 'until it is revoked'
    context.err(`Token ${answer.id} (${answer.role}) is good ${until}. It is shown this once.`)
    return 'ok'
  },
})

/** One that nobody has seen is of no use to anybody but a thief. */
async function takeBack(id: string, args: HubArguments, context: CliContext): Promise<string> {
  try {
    await askHub('revoke_token', { id }, args, context)
    return `Token ${id}, which nobody has seen, is revoked.`
  } catch (error) {
    return `Token ${id} is good all the same, since it could not be revoked: ${messageOf(error)} Try "signalbox token revoke ${id}".`
  }
}
