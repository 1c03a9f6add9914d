/** `signalbox connectors import` */
import { z } from 'zod'
import { connectorSchema } from '../../api/connector.ts'
import { foreignPrograms, readForeignFiles } from '../../connectors/connectors.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { type Arguments, type CliContext, defineCommand } from '../command/command.ts'
import { confirm } from '../terminal-output/confirm.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readInputFile } from '../command/input-file.ts'

const flags = {
  from: { takes: 'PROGRAM', about: `the settings of ${foreignPrograms.join(', ')}, instead of FILE` },
  format: { takes: 'FORMAT', about: 'command, json, toml or gemini (default: detected)' },
  replace: { about: 'change connectors of the same name; otherwise those that differ are added under another name' },
  yes: { short: 'y', about: 'import without asking' },
  ...hubFlags,
  ...jsonFlag,
} as const

type ImportArguments = Arguments<keyof typeof flags>

const planSchema = z.object({
  add: z.array(connectorSchema),
  change: z.array(connectorSchema.extend({ changed: z.array(z.string()) })),
  remove: z.array(z.string()),
  secrets: z.array(z.object({ connector: z.string(), variable: z.string(), how: z.string() })),
  warnings: z.array(z.string()),
  done: z.boolean(),
})
type Plan = z.output<typeof planSchema>

export const command = defineCommand({
  takes: '[file | -]',
  about: [
    'Imports MCP servers from a file, from stdin ("-") or from the settings of another program: lines with "claude mcp add',
    '…", JSON with mcpServers or the like, or the TOML of Codex. Shows the changes and asks before it makes them; --yes makes',
    'them without asking. Makes all changes or none. A server that differs from a connector of the same name is added under',
    'another name, such as github-cursor; --replace changes the connector instead. Replaces each secret by a variable, and',
    'tells you which variables to set for the hub. Keeps the tool filters of the other program.',
  ].join('\n'),
  flags,
  words: { min: 0, max: 1 },
  examples: [
    'signalbox connectors import --from claude',
    'signalbox connectors import .mcp.json --yes',
    `echo 'claude mcp add docs https://example.org/mcp' | signalbox connectors import - --yes`,
  ],
  async run(args, context) {
    const input = await readInput(args, context)
    using hub = await openHubClient(args, context)
    const run = async (isDryRun: boolean): Promise<Plan> =>
      planSchema.parse(
        await ask(hub, 'import_connectors', { ...input, replace: args.has('replace'), dry_run: isDryRun }),
      )
    const needsConsent = !args.has('yes')
    const plan = await run(needsConsent)
    if (!args.has('json')) report(plan, context)
    const isConfirmed = needsConsent && !args.has('json') && hasWork(plan) && (await confirm('Import them?', context))
    const done = isConfirmed ? await run(false) : plan
    if (args.has('json')) context.out(JSON.stringify(done, null, 2))
    else if (done.done) reportSecrets(done, context)
    else if (hasWork(plan)) context.err('Nothing was changed. Add --yes to import them.')
    return 'ok'
  },
})

interface ImportInput {
  readonly text: string
  readonly format?: string
  readonly program?: string
}

/** Reads the files of this machine, which may be another one than the hub's. */
async function readInput(args: ImportArguments, context: CliContext): Promise<ImportInput> {
  const [file] = args.words
  const program = args.text('from')
  const format = args.text('format')
  if ((file === undefined) === (program === undefined)) {
    throw new CliError('usage', `Name a file, or a program with --from: ${foreignPrograms.join(', ')}.`)
  }
  if (program === undefined) {
    const text = file === '-' ? await context.readStdin() : await readInputFile(file!)
    return { text, ...(format !== undefined && { format }) }
  }
  const known = foreignPrograms.find((each) => each === program)
  if (!known) throw new CliError('usage', `--from takes ${foreignPrograms.join(', ')}, not "${program}".`)
  const { HOME: home = '/' } = await context.readEnvironment()
  const { text, paths } = await readForeignFiles(known, { home, project: process.cwd() })
  for (const path of paths) context.err(`from ${path}`)
  return { text, format: known === 'gemini' ? 'gemini' : 'json', program: known }
}

function hasWork({ add, change, remove }: Plan): boolean {
  return add.length + change.length + remove.length > 0
}

function report(plan: Plan, context: CliContext): void {
  const { add, change, remove, warnings } = plan
  for (const { name, transport, cmd, base_url: url } of add) {
    context.out(`add     ${name} (${transport}: ${cmd ?? url ?? ''})`)
  }
  for (const { name, changed } of change) context.out(`change  ${name} (${changed.join(', ')})`)
  for (const name of remove) context.out(`remove  ${name}`)
  if (!hasWork(plan)) context.out('There is nothing to import.')
  for (const warning of warnings) context.err(`signalbox: warning: ${warning}`)
}

function reportSecrets({ secrets }: Plan, context: CliContext): void {
  for (const { connector, how } of secrets) context.err(`${connector}: ${how}`)
}
