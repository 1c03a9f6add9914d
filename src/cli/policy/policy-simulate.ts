/** `signalbox policy simulate` */
import { readTime } from '../command/time-flag.ts'
import { readPolicyFile } from './policy-file.ts'
import { ownerFlags, readNumber, readOwner } from './policy-owner.ts'
import { renderChanged, renderCounts, simulationAnswer } from './policy-simulation.ts'
import { fitTo } from '../terminal-output/table.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const command = toolCommand({
  takes: '<file | ->',
  about: [
    'Replays the recorded calls of agents as if this policy had been in place, and lists those that would have been',
    'decided differently. It makes no calls and saves nothing.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    since: { takes: 'TIME', about: 'only calls since then: an age (7d) or an ISO time (default: all that are kept)' },
    until: { takes: 'TIME', about: 'only calls until then' },
    limit: { takes: 'N', about: 'the maximum number of calls, oldest first (default: 10000)' },
  },
  words: oneWord,
  examples: ['signalbox policy simulate policy.yaml --since 7d'],
  tool: 'simulate_policy',
  // A long log takes a while.
  timeoutMs: 10 * 60_000,
  input: async (args, context) => ({
    ...readOwner(args),
    source: await readPolicyFile(args.words[0] ?? '', context),
    since: readTime(args, 'since'),
    until: readTime(args, 'until'),
    limit: readNumber(args, 'limit'),
  }),
  answer: simulationAnswer,
  print: (answer, { display }) =>
    answer.changed.length === 0
      ? renderCounts(answer)
      : `${renderCounts(answer)}\n\n${renderChanged(answer, fitTo(display))}`,
})
