/** `signalbox export` */
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { writeOutputFile } from './output-file.ts'
import { exportRecording, readRecording } from './recording-file.ts'

export const command = defineCommand({
  takes: '<session>',
  about: 'Writes what a session printed, and when, as an asciicast (v3), which asciinema and "signalbox replay" play.',
  flags: {
    output: { short: 'o', takes: 'FILE', about: 'where to put it (default: <session>.cast; "-" is stdout)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox export fix-tests', 'signalbox export fix-tests -o - | asciinema play -'],
  async run(args, context) {
    const [session = ''] = args.words
    await using hub = await connectFrom(args, context)
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
