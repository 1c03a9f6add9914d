/** `signalbox connectors restart` */
import { z } from 'zod'
import { bindingSchema } from '../api/connector.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { shownText } from './shown-text.ts'

const restarted = z.object({ name: z.string(), bindings: z.array(bindingSchema) })

/** A start may have to fetch the program. */
const patienceMs = 180_000

export const command = defineCommand({
  takes: '<name>',
  about: [
    'Starts the upstreams of a connector anew, also those that were given up, and says how each is then. Calls that run on',
    'them fail. Exits with 1 if one does not come up.',
  ].join('\n'),
  flags: {
    session: { takes: 'NAME', about: 'in this session only (default: in all that use it)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors restart github', 'signalbox connectors restart files --session build'],
  async run(args, context) {
    const [name] = args.words
    const session = args.text('session')
    const input = { name, ...(session !== undefined && { session }) }
    const answer = restarted.parse(await askHub('restart_connector', input, args, context, { timeoutMs: patienceMs }))
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else {
      for (const { session: place, label, upstream } of answer.bindings) {
        const reason = upstream?.reason === undefined ? '' : `: ${shownText(upstream.reason)}`
        context.out(`${label} in ${place} is ${upstream?.is ?? 'stopped'}${reason}`)
      }
    }
    return answer.bindings.every(({ upstream }) => upstream?.is === 'running') ? 'ok' : 'failed'
  },
})
