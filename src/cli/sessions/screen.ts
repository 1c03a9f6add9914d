/** `signalbox screen` */
import { z } from 'zod'
import { askHub } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { drawRuns } from '../attach/draw-runs.ts'
import { runSchema } from '../attach/draw-runs.ts'

const line = z.union([z.string(), z.looseObject({ text: z.string(), runs: z.array(runSchema) })])
const screen = z.looseObject({ lines: z.array(line) })

export const command = defineCommand({
  takes: '<session>',
  about: 'Prints the current screen of a session as text, or with --ansi in colour.',
  flags: { ansi: { about: 'with colours and styles' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox screen fix-tests', 'signalbox screen fix-tests --ansi | less -R'],
  async run(args, context) {
    const input = { session: args.words[0], include_attributes: args.has('ansi') }
    const answer = screen.parse(await askHub('read_screen', input, args, context))
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    // Safe to write as it is: the text has no controls, and all sequences are ours.
    else if (args.has('ansi')) await context.write(`${render(answer.lines)}\n`)
    else context.out(render(answer.lines))
    return 'ok'
  },
})

/** Leaves out the empty lines at the end. */
function render(lines: readonly z.output<typeof line>[]): string {
  const drawn = lines.map((each) => (typeof each === 'string' ? each : drawRuns(each.runs)))
  return drawn.slice(0, drawn.findLastIndex((each) => each !== '') + 1).join('\n')
}
