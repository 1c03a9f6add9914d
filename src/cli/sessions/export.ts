/** `signalbox export` */
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { writeOutputFile } from '../command/output-file.ts'
import { exportRecording, readRecording } from './recording-file.ts'

export const command = defineCommand({
  takes: '<session>',
  about: 'Writes the output of a session with its timing as an asciicast (v3), for asciinema and "signalbox replay".',
  flags: {
    output: { short: 'o', takes: 'FILE', about: 'the file to write (default: <session>.cast; "-" is stdout)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox export fix-tests', 'signalbox export fix-tests -o - | asciinema play -'],
  async run(args, context) {
    const [session = ''] = args.words
    using hub = await openHubClient(args, context)
    const { path: written, bytes } = await exportRecording(hub, session)
    const recording = await readRecording(written)
    const output = args.text('output') ?? `${session}.cast`
    if (output === '-') {
      await context.write(recording)
      return 'ok'
    }
    const path = await writeOutputFile(output, recording)
    context.out(args.has('json') ? JSON.stringify({ path, bytes }, null, 2) : path)
    return 'ok'
  },
})
