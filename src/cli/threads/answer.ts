/** `signalbox answer` */
import { sessionSchema } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'

export const command = defineCommand({
  takes: '<session> [answer]',
  about: [
    'Answers the question that an agent asks by its own protocol. Without an answer, it prints the question and its',
    'choices. A question in the agent’s own terminal is answered there, with "signalbox send".',
  ].join('\n'),
  flags: { ...hubFlags },
  words: { min: 1, max: 2 },
  examples: ['signalbox answer fix-tests', 'signalbox answer fix-tests "the second one"'],
  async run(args, context) {
    const [name = '', answer] = args.words
    using hub = await openHubClient(args, context)
    const { question } = sessionSchema.parse(await ask(hub, 'get_session', { name }))
    if (!question)
      throw new CliError('failed', `${name} asks nothing now. Run "signalbox screen ${name}" to see what it shows.`)
    if (answer === undefined) {
      context.out([question.text, ...(question.choices ?? []).map((choice) => `  ${choice}`)].join('\n'))
      return 'ok'
    }
    await ask(hub, 'answer_question', { session: name, question: question.id, answer })
    context.out('The agent has the answer.')
    return 'ok'
  },
})
