/** `signalbox export` */
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { CliError } from '../command/cli-error.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { writeOutputFile } from '../command/output-file.ts'
import { toAsciicastV2 } from './asciicast-v2.ts'
import { exportRecording, readRecording } from './recording-file.ts'

const formats = ['asciicast-v3', 'asciicast-v2'] as const

export const command = defineCommand({
  takes: '<session>',
  about: 'Writes the output of a session with its timing as an asciicast, for asciinema and "signalbox replay".',
  flags: {
    output: { short: 'o', takes: 'FILE', about: 'the file to write (default: <session>.cast; "-" is stdout)' },
    format: { takes: 'FORMAT', about: `${formats.join(' or ')}, for older players (default: ${formats[0]})` },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox export fix-tests', 'signalbox export fix-tests -o - | asciinema play -'],
  async run(args, context) {
    const [session = ''] = args.words
    const format = readFormat(args.text('format') ?? formats[0])
    using hub = await openHubClient(args, context)
    const exported = await readRecording((await exportRecording(hub, session)).path)
    const recording = format === 'asciicast-v2' ? toAsciicastV2(exported) : exported
    const output = args.text('output') ?? `${session}.cast`
    if (output === '-') {
      await context.write(recording)
      return 'ok'
    }
    const path = await writeOutputFile(output, recording)
    context.out(args.has('json') ? JSON.stringify({ path, bytes: Buffer.byteLength(recording) }, null, 2) : path)
    return 'ok'
  },
})

function readFormat(text: string): (typeof formats)[number] {
  const format = formats.find((each) => each === text)
  if (format === undefined) throw new CliError('usage', `--format takes ${formats.join(' or ')}, not "${text}".`)
  return format
}
