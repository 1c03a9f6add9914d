/**
 * `signalbox report`: the hooks of agents use it to report what the agent is doing. An agent waits for its hooks, so this
 * command saves time and does not load the configuration.
 */
import { isRecord } from '../../base/is-record.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { createHubClient } from '../hub-client/hub-client.ts'

const answerWithinMs = 5_000

export const command = defineCommand({
  takes: '<activity> [reason]',
  about: [
    'Reports to the hub what the agent of this session is doing: working, waiting (for a person, with a reason) or idle. The',
    'hub trusts the report more than the screen. The command works only inside a session, where SIGNALBOX_URL and',
    'SIGNALBOX_TOKEN are set, and prints nothing. It ignores a reason that is a JSON object, which some agents append to',
    'the commands they run.',
  ].join('\n'),
  flags: {},
  words: { min: 1, max: 2 },
  examples: ['signalbox report working', "signalbox report waiting 'It wants to deploy'"],
  async run(args, context) {
    const [is, reason] = args.words
    const { SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token } = await context.readEnvironment()
    // Not "usage": some agents read exit code 2 of a hook as an instruction to stop.
    if (!url || !token)
      throw new CliError(
        'failed',
        'This is not a session: SIGNALBOX_URL and SIGNALBOX_TOKEN are not set. Run this command inside a session.',
      )
    using hub = createHubClient({ url, token, tokenFrom: 'SIGNALBOX_TOKEN' })
    const input = { is, ...(reason !== undefined && !isJson(reason) && { reason }) }
    const answer = await hub.callTool('sessions_report_activity', input, { timeoutMs: answerWithinMs })
    if (answer.isError) throw new CliError('tool-error', answer.text, { cause: answer })
    return 'ok'
  },
})

function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}
