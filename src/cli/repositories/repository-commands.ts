/** The repository commands that make one tool call. */
import { join } from 'node:path'
import { z } from 'zod'
import type { Hit } from '../../api/repository.ts'
import { fileLinesSchema, hitSchema, repositorySchema, searchModes } from '../../api/repository.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readInteger } from '../command/number-flag.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'
import { paint } from '../terminal-output/printable.ts'
import { fitTo } from '../terminal-output/table.ts'
import { indentedLines, visibleLines, visibleText } from '../terminal-output/visible-text.ts'
import { placeOf, renderRepositories } from './repository-lines.ts'

const listedSchema = z.object({ repositories: z.array(repositorySchema) })
const foundSchema = z.object({
  hits: z.array(hitSchema),
  unsearched: z.array(z.object({ repository: z.string(), reason: z.string() })).optional(),
})

/** A first index may be under way. The hub reports its progress. */
const silentMs = 120_000
/** How many lines of a hit are shown. The file has the rest. */
const shownLines = 6

export const list = toolCommand({
  takes: '[ls]',
  about: 'Lists the repositories that can be searched and asked about, and how far the index of each one is.',
  words: { min: 0, max: 1 },
  onlyWord: 'ls',
  examples: ['signalbox repo', 'signalbox repo ls --json'],
  tool: 'list_repositories',
  input: () => ({}),
  answer: listedSchema,
  print: ({ repositories }, { display }) =>
    repositories.length === 0
      ? 'There are no repositories. Add one with "signalbox repo add".'
      : renderRepositories(repositories, fitTo(display)),
})

export const rm = toolCommand({
  takes: '<repository>',
  about: 'Removes a repository and its index. The folder stays as it is.',
  words: oneWord,
  examples: ['signalbox repo rm signalbox'],
  tool: 'remove_repository',
  input: ({ words: [repository] }) => ({ repository }),
  answer: z.object({ id: z.string(), name: z.string() }),
  print: ({ name }) => `Removed ${name}. Its folder is as it was.`,
})

export const read = toolCommand({
  takes: '<repository> <path>',
  about: 'Prints a file of a repository as it was indexed, or some of its lines.',
  flags: { lines: { takes: 'START-END', about: 'only these lines, such as 10-24' } },
  words: { min: 2, max: 2 },
  examples: ['signalbox repo read signalbox src/hub.ts --lines 90-120'],
  tool: 'read_repository',
  input(args) {
    const lines = args.text('lines')
    const range = /^(\d+)(?:-(\d+))?$/.exec(lines ?? '1-')
    if (lines !== undefined && !range) throw new CliError('usage', `--lines takes lines such as 10-24, not "${lines}".`)
    const [, start, end = start] = range ?? []
    const [repository, path] = args.words
    return { repository, path, ...(start !== undefined && { start: Number(start), end: Number(end) }) }
  },
  answer: fileLinesSchema,
  print: ({ text }) => visibleLines(text.replace(/\n$/, '').replaceAll('\t', '  ')),
  timeoutMs: silentMs,
})

export const search = defineCommand({
  takes: '<query>',
  about: [
    'Searches the repositories, and prints where it was found, best first: file:line, the symbol, and the first lines. The',
    'mode lexical finds words and identifiers, symbol finds definitions by name, and regex finds lines.',
  ].join('\n'),
  flags: {
    in: { takes: 'REPOSITORY', about: 'only this one: its name, id or path (default: all)' },
    mode: { takes: 'MODE', about: 'lexical, symbol or regex (default: lexical)' },
    path: { takes: 'GLOB', about: 'only files that match, such as "src/**/*.ts"' },
    limit: { takes: 'NUMBER', about: 'how many hits (default: 10)', short: 'n' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: oneWord,
  examples: [
    'signalbox repo search "where is a call authorized?"',
    'signalbox repo search authorize --mode symbol --in signalbox',
  ],
  async run(args, context) {
    const mode = args.text('mode')
    if (mode !== undefined && !searchModes.some((each) => each === mode))
      throw new CliError('usage', `--mode takes ${searchModes.join(', ')}, not "${mode}".`)
    const input = {
      repository: args.text('in'),
      query: args.words[0],
      mode,
      path: args.text('path'),
      limit: readInteger(args, 'limit'),
    }
    using hub = await openHubClient(args, context)
    const found = foundSchema.parse(await ask(hub, 'search_repository', input, { timeoutMs: silentMs }))
    if (args.has('json')) context.out(JSON.stringify(found, null, 2))
    else {
      const hasColours = context.display()?.hasColours ?? false
      const folders = await foldersOf(hub)
      for (const hit of found.hits) context.out(hitText(hit, folders.get(hit.repository) ?? '', hasColours))
    }
    for (const { repository, reason } of found.unsearched ?? [])
      context.err(`signalbox: ${repository} was not searched: ${reason}`)
    if (found.hits.length === 0) context.err('signalbox: nothing was found.')
    return found.hits.length === 0 || found.unsearched ? 'failed' : 'ok'
  },
})

async function foldersOf(hub: HubClient): Promise<ReadonlyMap<string, string>> {
  const { repositories } = listedSchema.parse(await ask(hub, 'list_repositories', {}))
  return new Map(repositories.map(({ name, host_path: path }) => [name, path]))
}

function hitText({ path, start_line: start, symbol, text }: Hit, folder: string, hasColours: boolean): string {
  const name = symbol === undefined ? '' : `  ${visibleText(symbol)}`
  const head = `${placeOf(join(folder, path), start, hasColours)}${hasColours ? paint('bold', name) : name}`
  const lines = indentedLines(text.trimEnd()).slice(0, shownLines)
  return [head, ...(hasColours ? lines.map((line) => paint('dim', line)) : lines)].join('\n')
}
