/**
 * The command line.
 *
 *   words → command → arguments → run → exit code
 *
 * Answers go to stdout, everything else to stderr. An error is one sentence that says what to do next, never a stack.
 */
import { inspect } from 'node:util'
import { HubError, messageOf } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import { packageVersion } from '../base/package-files.ts'
import type { Redactor } from '../base/redact.ts'
import { readArguments } from './command/arguments.ts'
import { CliError } from './command/cli-error.ts'
import type { CliContext } from './command/command.ts'
import type { Exit } from './command/exit-codes.ts'
import { exitCodes } from './command/exit-codes.ts'
import { exitOf } from './command/exit-of-error.ts'
import { commands } from './commands.ts'
import { helpOn, unknownCommand } from './help.ts'
import { printable } from './terminal-output/printable.ts'

export type { CliContext } from './command/command.ts'
export { utf8Text } from './command/utf8-text.ts'
export { createStandardOutput } from './terminal-output/standard-output.ts'

/** Runs one command line and returns the exit code. */
export async function runCli(argv: readonly string[], given: CliContext): Promise<number> {
  const context: CliContext = {
    ...given,
    out: (text) => given.out(printable(text)),
    err: (text) => given.err(printable(text)),
  }
  try {
    return exitCodes[await run(argv, context)].code
  } catch (error) {
    await report(error, context)
    return exitCodes[exitOf(error)].code
  }
}

async function run(argv: readonly string[], context: CliContext): Promise<Exit> {
  const [first = '--help', second = ''] = argv
  if (first === '--version' || first === '-V') {
    context.out(packageVersion())
    return 'ok'
  }
  if (isHelp(first)) {
    context.out(await helpOn('', commands))
    return 'ok'
  }
  if (first.startsWith('-')) throw new CliError('usage', flagBeforeCommand(first))

  const entry =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (!entry) return runGroup(first, second, context)

  // "signalbox jobs" is both a command and a group. It takes no word, so a word after it is a misspelt command of the group.
  const isGroup = commands.some(({ name }) => name.startsWith(`${entry.name} `))
  const command = await entry.load()
  if (isGroup && command.words === undefined && second !== '' && !second.startsWith('-')) {
    throw unknownCommand(`${first} ${second}`, commands)
  }

  const rest = argv.slice(entry.name.split(' ').length)
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (flags.some(isHelp)) {
    context.out(await helpOn(entry.name, commands))
    return 'ok'
  }
  const args = readArguments(entry.name, command, rest)
  const [word = command.onlyWord] = args.words
  if (command.onlyWord !== undefined && word !== command.onlyWord)
    throw unknownCommand(`${entry.name} ${word}`, commands)
  return command.run(args, context)
}

/** `signalbox token` is incomplete, `signalbox token isue` is misspelt. */
async function runGroup(first: string, second: string, context: CliContext): Promise<Exit> {
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `))
  if (!isGroup) throw unknownCommand(first, commands)
  if (second !== '' && !second.startsWith('-')) throw unknownCommand(`${first} ${second}`, commands)
  if (isHelp(second)) {
    context.out(await helpOn(first, commands))
    return 'ok'
  }
  const names = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => `"signalbox ${name}"`)
  throw new CliError('usage', `"signalbox ${first}" is incomplete. Choose one of ${names.join(', ')}.`)
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

function flagBeforeCommand(flag: string): string {
  return `Write the command before its flags: signalbox <command> ${flag}. See "signalbox --help".`
}

async function report(error: unknown, context: CliContext): Promise<void> {
  const env = await context.readEnvironment()
  const { createRedactorFor } = await import('./command/redactor.ts')
  const redactor = createRedactorFor(env)
  context.err(`signalbox: ${withoutKnownSecrets(redactor, explanation(error, redactor))}`)
  if (env['SIGNALBOX_LOG_LEVEL'] === 'debug' && error instanceof Error) context.err(redactor.text(inspect(error)))
}

function explanation(error: unknown, redactor: Redactor): string {
  if (error instanceof CliError || error instanceof HubError) return error.message
  return `This is a bug: ${redactor.text(messageOf(error))}. Run the command again with SIGNALBOX_LOG_LEVEL=debug to see where.`
}
