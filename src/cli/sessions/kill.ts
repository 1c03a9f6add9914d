/** `signalbox kill` */
import { messageOf } from '../../base/hub-error.ts'
import { sessionSchema } from '../../api/session.ts'
import type { Session } from '../../api/session.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { resumeHint } from './resume-hint.ts'

export const command = defineCommand({
  takes: '<session>…',
  about: [
    'Ends the programs of sessions and all processes in their terminals, except those that started a session of their own',
    '(setsid). Keeps their output, unless you give --remove. Always keeps their workspaces. If one session cannot be ended,',
    'the others still are.',
  ].join('\n'),
  flags: { remove: { about: 'delete the sessions and their output' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: Infinity },
  examples: ['signalbox kill fix-tests', 'signalbox kill old-one other-one --remove'],
  async run(args, context) {
    const remove = args.has('remove')
    const ended: Session[] = []
    const problems: string[] = []
    using hub = await openHubClient(args, context)
    for (const name of args.words) {
      try {
        const session = sessionSchema.parse(await ask(hub, 'kill_session', { name, remove }))
        ended.push(session)
        if (!args.has('json')) context.out(`${session.name} ${remove ? 'has been removed.' : endOf(session)}`)
      } catch (error) {
        if (!(error instanceof CliError && error.exit === 'tool-error')) throw error
        problems.push(messageOf(error))
      }
    }
    if (args.has('json')) context.out(JSON.stringify({ sessions: ended }, null, 2))
    if (problems.length > 0) throw new CliError('tool-error', problems.join('\n'), { cause: problems })
    return 'ok'
  },
})

function endOf(session: Session): string {
  const { status, exit_code: code } = session
  const how =
    status === 'stopped'
      ? 'has been stopped.'
      : `had ended already${code === undefined ? '' : ` with exit code ${code}`}.`
  return `${how} ${resumeHint(session)}`.trimEnd()
}
