/** Help: on everything, on a group of commands, on one command, on the exit codes. */
import { nearest } from '../base/nearest.ts'
import { CliError } from './cli-error.ts'
import type { Command } from './command.ts'
import { defineCommand } from './command.ts'
import { commands } from './commands.ts'
import type { CommandEntry } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { renderTable } from './table.ts'

export const command = defineCommand({
  takes: '[command | exit-codes]',
  about: 'Prints help on a command, or the list of commands, or the exit codes.',
  flags: {},
  words: { min: 0, max: 2 },
  examples: ['signalbox help token issue', 'signalbox help exit-codes'],
  async run({ words }, context) {
    context.out(await helpOn(words.join(' ')))
    return 'ok'
  },
})

/** On a command, a group such as `token`, a topic, or with nothing on everything. */
export async function helpOn(topic: string): Promise<string> {
  if (topic === '') return overview()
  if (topic === 'exit-codes') return exitCodesHelp()
  const entry = commands.find(({ name }) => name === topic)
  if (entry) return commandHelp(entry, await entry.load())
  const group = commands.filter(({ name }) => name.startsWith(`${topic} `))
  if (group.length > 0) return groupHelp(topic, group)
  throw unknownCommand(topic, [...commandNames(), 'exit-codes'])
}

export function unknownCommand(given: string, known: readonly string[] = commandNames()): CliError {
  const meant = nearest(given, known)
  const advice = meant ? `Did you mean "signalbox ${meant}"?` : 'See "signalbox --help".'
  return new CliError('usage', `There is no command "${given}". ${advice}`)
}

function commandNames(): string[] {
  return [...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0]!]))]
}

function overview(): string {
  return [
    'Signalbox runs AI coding agents, lets people and other agents watch and steer them, and puts every tool call they',
    'make under a policy, through one MCP endpoint.',
    '',
    'usage: signalbox <command> [flags]',
    '',
    summaries(commands),
    '',
    'Begin with:',
    '  signalbox up          and in another terminal',
    '  signalbox probe',
    '',
    '"signalbox <command> --help" tells more about each. "signalbox --version" prints the version.',
  ].join('\n')
}

function groupHelp(topic: string, group: readonly CommandEntry[]): string {
  return [
    `usage: signalbox ${topic} <command> [flags]`,
    '',
    summaries(group),
    '',
    'example:',
    `  signalbox ${group[0]!.name} --help`,
  ].join('\n')
}

function commandHelp({ name }: CommandEntry, { takes, about, flags, examples }: Command): string {
  const rows = Object.entries(flags).map(([flag, { takes: value, about: what, short }]) => [
    `${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''}`,
    what,
  ])
  return [
    `usage: signalbox ${name}${takes ? ` ${takes}` : ''}${rows.length > 0 ? ' [flags]' : ''}`,
    '',
    about,
    '',
    ...(rows.length > 0 ? [indented(renderTable(rows)), ''] : []),
    examples.length > 1 ? 'examples:' : 'example:',
    indented(examples.join('\n')),
  ].join('\n')
}

function exitCodesHelp(): string {
  return `Exit codes:\n\n${indented(
    renderTable(Object.values(exitCodes).map(({ code, means }) => [String(code), means.replaceAll('`', '"')])),
  )}`
}

function summaries(entries: readonly CommandEntry[]): string {
  return indented(renderTable(entries.map(({ name, summary }) => [name, summary])))
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
