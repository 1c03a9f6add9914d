/** `signalbox prune` */
import type { PrunableKind, Pruned } from '../../api/prune.ts'
import { prunableKinds, prunedSchema } from '../../api/prune.ts'
import { CliError } from '../command/cli-error.ts'
import { toolCommand } from '../hub-client/tool-command.ts'
import { ageOf } from '../terminal-output/age.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { TableOptions } from '../terminal-output/table.ts'
import { scriptWithinMs } from './created.ts'

export const command = toolCommand({
  about: [
    'Shows what is no longer in use: ended sessions with their output and threads, imported and forked threads that no',
    'session continues, revoked tokens, and clean git worktrees that "new --worktree" made, with their branches.',
    'With --yes, removes it. "journals" is the output of ended sessions alone. It never touches a living session, or a',
    'worktree with uncommitted or untracked work or with commits that are on no other branch, or any other workspace.',
    'Files that git ignores go with a clean worktree.',
  ].join('\n'),
  flags: {
    'older-than': { takes: 'TIME', about: 'only what ended this long ago, such as 7d (default: all)' },
    what: { takes: 'A,B', about: `only these: ${prunableKinds.join(', ')}` },
    yes: { short: 'y', about: 'remove it' },
  },
  words: { min: 0, max: 0 },
  examples: ['signalbox prune', 'signalbox prune --older-than 30d --what sessions,tokens --yes'],
  tool: 'prune',
  input: (args) => ({
    older_than: args.text('older-than'),
    what: readKinds(args.text('what')),
    dry_run: !args.has('yes'),
  }),
  answer: prunedSchema,
  print: (pruned, { display }) => ({ out: renderPruned(pruned, new Date(), fitTo(display)) }),
  timeoutMs: scriptWithinMs,
})

function readKinds(text: string | undefined): readonly string[] | undefined {
  const kinds = text?.split(',').map((kind) => kind.trim())
  const unknown = kinds?.find((kind) => !(prunableKinds as readonly string[]).includes(kind))
  if (unknown === undefined) return kinds
  throw new CliError('usage', `--what takes ${prunableKinds.join(', ')}, not "${unknown}".`)
}

export function renderPruned({ dry_run: isDryRun, gone, kept }: Pruned, now: Date, options: TableOptions = {}): string {
  const rows = [
    ...gone.map((item) => [isDryRun ? 'would go' : 'removed', ...cellsOf(item, now), '']),
    ...kept.map((item) => ['stays', ...cellsOf(item, now), item.why]),
  ]
  const table = rows.length > 0 ? [renderTable([['', 'what', 'name', 'id', 'since', 'why'], ...rows], options)] : []
  return [...table, sumUp(isDryRun, gone.length)].join('\n')
}

function cellsOf({ what, id, name = '–', since }: Pruned['gone'][number], now: Date): readonly string[] {
  return [kindOf[what], name, id, `${ageOf(since, now)} ago`]
}

const kindOf: Readonly<Record<PrunableKind, string>> = {
  sessions: 'session',
  threads: 'thread',
  tokens: 'token',
  journals: 'journal',
  worktrees: 'worktree',
}

function sumUp(isDryRun: boolean, count: number): string {
  if (count === 0) return 'There is nothing to remove.'
  return isDryRun ? 'Nothing was removed yet. Add --yes to remove what would go.' : `Removed ${count} in all.`
}
