/** `signalbox policy simulate` */
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { readPolicyFile } from './policy-file.ts'
import { ownerFlags, readNumber, readOwner } from './policy-owner.ts'
import { renderChanged, renderCounts, simulationAnswer } from './policy-simulation.ts'
import { fitTo } from './table.ts'

/** A long log takes its time. */
const patienceMs = 10 * 60_000

export const command = defineCommand({
  takes: '<file | ->',
  about: [
    'Replays the recorded calls of agents as if this policy had been in place, and says which of them would have been',
    'decided otherwise. Nothing is called, and nothing is saved.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    since: { takes: 'TIME', about: 'from when on: how long ago (7d), or an ISO time (default: all that is kept)' },
    until: { takes: 'TIME', about: 'until when' },
    limit: { takes: 'N', about: 'at most so many calls, oldest first (default: 10000)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox policy simulate policy.yaml --since 7d'],
  async run(args, context) {
    const source = await readPolicyFile(args.words[0] ?? '', context)
    const [since, until, limit] = [args.text('since'), args.text('until'), readNumber(args, 'limit')]
    const input = {
      ...readOwner(args),
      source,
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(limit !== undefined && { limit }),
    }
    const answer = simulationAnswer.parse(
      await askHub('simulate_policy', input, args, context, { timeoutMs: patienceMs }),
    )
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    context.out(renderCounts(answer))
    if (answer.changed.length > 0) context.out(`\n${renderChanged(answer, fitTo(context.display()))}`)
    return 'ok'
  },
})
