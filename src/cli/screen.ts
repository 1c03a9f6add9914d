/** `signalbox screen` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { drawRuns } from './draw-runs.ts'
import { runSchema } from './draw-runs.ts'

const line = z.union([z.string(), z.looseObject({ text: z.string(), runs: z.array(runSchema) })])
const screen = z.looseObject({ lines: z.array(line) })

export const command = defineCommand({
  takes: '<session>',
  about: 'Prints what a session’s screen shows now, as text; with --ansi, in its colours.',
  flags: { ansi: { about: 'with colours and styles' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox screen fix-tests', 'signalbox screen fix-tests --ansi | less -R'],
  async run(args, context) {
    const input = { session: args.words[0], include_attributes: args.has('ansi') }
    const answer = screen.parse(await askHub('read_screen', input, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : render(answer.lines))
    return 'ok'
  },
})

/** Without the empty lines at its end. */
function render(lines: readonly z.output<typeof line>[]): string {
  const drawn = lines.map((each) => (typeof each === 'string' ? each : drawRuns(each.runs)))
  return drawn.slice(0, drawn.findLastIndex((each) => each !== '') + 1).join('\n')
}
