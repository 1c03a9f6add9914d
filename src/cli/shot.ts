/** `signalbox shot` */
import { z } from 'zod'
import { connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { writeOutputFile } from './output-file.ts'

const picture = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), data: z.string().optional() })),
})

export const command = defineCommand({
  takes: '<session>',
  about: 'Draws the screen of a session as a PNG, with its colours, and says where it is.',
  flags: {
    output: { short: 'o', takes: 'FILE', about: 'where to put it (default: <session>.png; "-" is stdout)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox shot fix-tests', 'signalbox shot fix-tests -o now.png'],
  async run(args, context) {
    const [session = ''] = args.words
    await using hub = await connectFrom(args, context)
    const answer = await hub.callTool('screenshot', { session })
    if (answer.isError) throw new CliError('tool-error', answer.text)
    const image = picture.parse(answer.result).content.find(({ type }) => type === 'image')
    if (image?.data === undefined) throw new CliError('failed', 'The hub answered without a picture.')
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
