/** `signalbox kill` */
import { messageOf } from '../base/hub-error.ts'
import { sessionSchema } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<session>…',
  about: [
    'Ends the programs of sessions and all that runs in their terminals, but for what has given itself a session of its',
    'own (setsid). What they have printed stays, unless --remove is given; their workspaces stay in any case. If one',
    'cannot be ended, the others still are.',
  ].join('\n'),
  flags: { remove: { about: 'forget the sessions and what they have printed' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: Infinity },
  examples: ['signalbox kill fix-tests', 'signalbox kill old-one other-one --remove'],
  async run(args, context) {
    const remove = args.has('remove')
    const ended: Session[] = []
    const problems: string[] = []
    await using hub = await connectFrom(args, context)
    for (const name of args.words) {
      try {
        const session = sessionSchema.parse(await ask(hub, 'kill_session', { name, remove }))
        ended.push(session)
        if (!args.has('json')) context.out(`${session.name} ${remove ? 'is gone.' : endOf(session)}`)
      } catch (error) {
        if (!(error instanceof CliError && error.exit === 'tool-error')) throw error
        problems.push(messageOf(error))
      }
    }
    if (args.has('json')) context.out(JSON.stringify({ sessions: ended }, null, 2))
    if (problems.length > 0) throw new CliError('tool-error', problems.join('\n'))
    return 'ok'
  },
})

function endOf({ status, exit_code: code }: Session): string {
  return status === 'stopped' ? 'has been stopped.' : `had ended before${code === undefined ? '' : ` with ${code}`}.`
}
