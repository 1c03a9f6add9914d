/** `signalbox shot` */
import { z } from 'zod'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { writeOutputFile } from '../command/output-file.ts'

const picture = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), data: z.string().optional() })),
})

export const command = defineCommand({
  takes: '<session>',
  about: 'Saves the screen of a session as a PNG, in colour, and prints the path of the file.',
  flags: {
    output: { short: 'o', takes: 'FILE', about: 'the file to write (default: <session>.png; "-" is stdout)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox shot fix-tests', 'signalbox shot fix-tests -o now.png'],
  async run(args, context) {
    const [session = ''] = args.words
    using hub = await openHubClient(args, context)
    const answer = await hub.callTool('screenshot', { session })
    if (answer.isError) throw new CliError('tool-error', answer.text, { cause: answer.result })
    const image = picture.parse(answer.result).content.find(({ type }) => type === 'image')
    if (image?.data === undefined)
      throw new CliError(
        'failed',
        'The hub answered without a picture. Is it another version? Compare "signalbox status" with "signalbox --version".',
      )
    const png = Buffer.from(image.data, 'base64')

    const output = args.text('output') ?? `${session}.png`
    if (output === '-') {
      await context.write(png)
      return 'ok'
    }
    const path = await writeOutputFile(output, png)
    context.out(args.has('json') ? JSON.stringify({ path, bytes: png.length }, null, 2) : path)
    return 'ok'
  },
})
