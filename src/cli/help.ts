/** Prints help: the overview, a group of commands, one command, or the exit codes. */
import { nearest } from '../base/nearest.ts'
import { CliError } from './command/cli-error.ts'
import type { Command, CommandEntry } from './command/command.ts'
import { defineCommand } from './command/command.ts'
import { exitCodes } from './command/exit-codes.ts'
import { renderTable } from './terminal-output/table.ts'

export function createHelpCommand(commands: readonly CommandEntry[]): Command {
  return defineCommand({
    takes: '[command | exit-codes]',
    about: 'Prints help for a command, the list of commands, or the exit codes.',
    flags: {},
    words: { min: 0, max: 2 },
    examples: ['signalbox help token issue', 'signalbox help exit-codes'],
    async run({ words }, context) {
      context.out(await helpOn(words.join(' '), commands))
      return 'ok'
    },
  })
}

/** The topic is a command, a group such as `token`, or `exit-codes`. Empty means the overview. */
export async function helpOn(topic: string, commands: readonly CommandEntry[]): Promise<string> {
  if (topic === '') return overview(commands)
  if (topic === 'exit-codes') return exitCodesHelp()
  const entry = commands.find(({ name }) => name === topic)
  if (entry) return commandHelp(entry, await entry.load())
  const group = commands.filter(({ name }) => name.startsWith(`${topic} `))
  if (group.length > 0) return groupHelp(topic, group)
  throw noCommand(topic, [...namesOf(commands), 'exit-codes'])
}

export function unknownCommand(given: string, commands: readonly CommandEntry[]): CliError {
  return noCommand(given, namesOf(commands))
}

/** The names that other programs use for our commands. */
const otherNames: Readonly<Record<string, string>> = {
  stop: 'kill',
  end: 'kill',
  rm: 'kill',
  start: 'new',
  run: 'new',
  list: 'ls',
  ps: 'ls',
  connect: 'attach',
  type: 'send',
  log: 'logs',
}

function noCommand(given: string, known: readonly string[]): CliError {
  const meant = otherNames[given] ?? nearest(given, known)
  const advice = meant ? `Did you mean "signalbox ${meant}"?` : 'See "signalbox --help".'
  return new CliError('usage', `There is no command "${given}". ${advice}`)
}

function namesOf(commands: readonly CommandEntry[]): string[] {
  return [...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0]!]))]
}

function overview(commands: readonly CommandEntry[]): string {
  return [
    'Signalbox runs AI coding agents, lets people and other agents watch and steer them, and puts every tool call they',
    'make under a policy, through one MCP endpoint.',
    '',
    'usage: signalbox <command> [flags]',
    inSections(commands),
    '',
    'To begin:',
    '  signalbox up                           then, in another terminal:',
    '  signalbox new hello --template shell',
    '  signalbox attach hello',
    '',
    '"signalbox <command> --help" explains a command. "signalbox --version" prints the version.',
  ].join('\n')
}

/** Each section of the overview, by its first command. */
const sections: Readonly<Record<string, string>> = {
  up: 'Sessions',
  prompt: 'Agents',
  run: 'Actions',
  repo: 'Repositories',
  attach: 'Terminals',
  jobs: 'Jobs and templates',
  approvals: 'Approvals',
  connectors: 'MCP servers',
  policy: 'Policy and record',
  status: 'The hub',
}

function inSections(commands: readonly CommandEntry[]): string {
  const rows = commands.flatMap(({ name, summary }) => {
    const section = sections[name]
    return [...(section === undefined ? [] : [[''], [section]]), [`  ${name}`, summary]]
  })
  return renderTable(rows).replaceAll(/ +$/gm, '')
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
