/** `signalbox repo add` and `signalbox repo refresh` */
import { resolve } from 'node:path'
import type { RepositoryView } from '../../api/repository.ts'
import { repositorySchema } from '../../api/repository.ts'
import { CliError } from '../command/cli-error.ts'
import type { CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { oneWord } from '../hub-client/tool-command.ts'
import { createProgressBar } from '../terminal-output/progress-bar.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

/** The longest time between two progress reports. The hub may index another repository first. */
const silentMs = 10 * 60_000

export const add = defineCommand({
  takes: '[path]',
  about: [
    'Indexes a folder, the current one by default, so that it can be searched and asked about. The index follows the',
    'working tree, or a branch, tag or commit. Shows a progress bar; Ctrl-C leaves, and the hub continues.',
  ].join('\n'),
  flags: {
    name: { takes: 'NAME', about: 'its name (default: that of the folder)' },
    ref: { takes: 'REF', about: 'a branch, tag or commit to index instead of the working tree' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 0, max: 1 },
  examples: ['signalbox repo add', 'signalbox repo add ~/src/api --name api', 'signalbox repo add . --ref v1.2'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    const input = { path: resolve(args.words[0] ?? '.'), name: args.text('name'), ref: args.text('ref') }
    const added = await withProgress(hub, 'add_repository', input)
    // A large folder is not done yet.
    const done = added.index.is === 'indexing' ? await refreshed(hub, added.id) : added
    return report(done, args.has('json'), context)
  },
})

export const refresh = defineCommand({
  takes: '<repository>',
  about: 'Brings the index of a repository up to date. A running hub does this by itself after changes.',
  flags: { ...hubFlags, ...jsonFlag },
  words: oneWord,
  examples: ['signalbox repo refresh signalbox'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    return report(await refreshed(hub, args.words[0] ?? ''), args.has('json'), context)
  },
})

function refreshed(hub: HubClient, repository: string): Promise<RepositoryView> {
  return withProgress(hub, 'refresh_repository', { repository })
}

async function withProgress(
  hub: HubClient,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<RepositoryView> {
  using bar = createProgressBar('indexing')
  const answer = await ask(hub, tool, input, {
    timeoutMs: silentMs,
    onProgress: ({ progress, total }) => bar.show(Number(progress), Number(total)),
  })
  return repositorySchema.parse(answer)
}

function report(repository: RepositoryView, isJson: boolean, context: CliContext): Exit {
  const { name, index } = repository
  if (isJson) context.out(JSON.stringify(repository, null, 2))
  if (index.is !== 'ready')
    throw new CliError('failed', `${name} could not be indexed: ${index.last_error ?? index.is}`)
  const left = index.skipped > 0 ? `, ${index.skipped} left out` : ''
  if (!isJson) context.out(`${name}: ${index.files} files, ${index.chunks} chunks${left}`)
  for (const { path, reason } of index.unread ?? []) {
    context.err(`signalbox: ${visibleText(path)} could not be read: ${visibleText(reason)}`)
  }
  return 'ok'
}
