/** `signalbox repo ask` */
import { answerSchema } from '../../api/repository.ts'
import type { RepositoryAnswer } from '../../api/repository.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { createAnswerPrinter } from './answer-printer.ts'
import { placeOf } from './repository-lines.ts'

/** A model may think for a while before it says the next word. */
const silentMs = 10 * 60_000

export const command = defineCommand({
  takes: '<repository> <question | ->',
  about: [
    'Answers a question about a repository, as the answer comes. "-" reads the question from stdin. A model of the hub',
    'searches and reads; without one, the answer is a ranked list of places. Every citation is compared with the index. The',
    'cited places follow the answer as file:line. Thoughts and searches go to stderr.',
  ].join('\n'),
  flags: {
    model: { takes: 'MODEL', about: 'as provider/model (default: the model of the hub)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 2, max: 2 },
  examples: [
    'signalbox repo ask signalbox "where is a call authorized, and why?"',
    'signalbox repo ask api - --model anthropic/claude-sonnet-5-5 < question.md',
  ],
  async run(args, context) {
    const [repository = '', given = ''] = args.words
    const question = given === '-' ? (await context.readStdin()).trimEnd() : given
    if (question.trim() === '') {
      throw new CliError(
        'usage',
        `The question is empty. Write one, such as signalbox repo ask ${repository} "what is it for?".`,
      )
    }
    using hub = await openHubClient(args, context)
    const isJson = args.has('json')
    using printer = createAnswerPrinter(context)
    const input = { repository, question, model: args.text('model') }
    const answer = answerSchema.parse(
      await ask(hub, 'ask_repository', input, {
        timeoutMs: silentMs,
        onProgress({ message }) {
          if (!isJson && typeof message === 'string') printer.take(message)
        },
      }),
    )
    if (isJson) context.out(JSON.stringify(answer, null, 2))
    else {
      await printer.end(answer.answer)
      const hasColours = context.display()?.hasColours ?? false
      if (answer.provider !== undefined) for (const line of citedLines(answer, hasColours)) context.out(line)
      context.err(`signalbox: ${summaryOf(answer)}`)
    }
    return 'ok'
  },
})

function citedLines({ citations }: RepositoryAnswer, hasColours: boolean): readonly string[] {
  if (citations.length === 0) return []
  const lines = citations.map(({ host_path: path, start_line: start, symbol }) => {
    const name = symbol === undefined ? '' : `  ${visibleText(symbol)}`
    return `${placeOf(path, start, hasColours)}${name}`
  })
  return ['', ...lines]
}

function summaryOf({ provider, model, checked: { kept, repaired, dropped } }: RepositoryAnswer): string {
  const counts = `citations: ${kept} right, ${repaired} repaired, ${dropped} dropped`
  return provider === undefined ? counts : `answered by ${provider}/${model}, ${counts}`
}
