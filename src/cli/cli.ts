/**
 * The command line.
 *
 *   words → command → arguments → run → exit code
 *
 * Answers go to stdout, everything else to stderr. An error is one sentence that says what to do next, never a stack.
 */
import { inspect } from 'node:util'
import { HubError, messageOf } from '../base/hub-error.ts'
import { readArguments } from './arguments.ts'
import { CliError } from './cli-error.ts'
import type { CliContext } from './command.ts'
import { commands } from './commands.ts'
import { exitCodes, exitOf } from './exit-codes.ts'
import type { Exit } from './exit-codes.ts'
import { helpOn, unknownCommand } from './help.ts'
import { readVersion } from './installation.ts'
import { createRedactorFor } from './redactor.ts'

export type { CliContext } from './command.ts'
export { createStandardOutput } from './standard-output.ts'

/** Runs one command line and says with which code to exit. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
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
    context.out(readVersion())
    return 'ok'
  }
  if (isHelp(first)) {
    context.out(await helpOn(''))
    return 'ok'
  }
  if (first.startsWith('-')) throw new CliError('usage', flagBeforeCommand(first))

  const entry =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (!entry) return answerForGroup(first, second, context)

  // "signalbox jobs" is a command and a group: a word behind it that it has no use for is a misspelt command of the group.
  const isGroup = commands.some(({ name }) => name.startsWith(`${entry.name} `))
  const command = await entry.load()
  if (isGroup && command.words === undefined && second !== '' && !second.startsWith('-')) {
    throw unknownCommand(`${first} ${second}`)
  }

  const rest = argv.slice(entry.name.split(' ').length)
  const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (flags.some(isHelp)) {
    context.out(await helpOn(entry.name))
    return 'ok'
  }
  return command.run(readArguments(entry.name, command, rest), context)
}

/** `signalbox token` is half a command, `signalbox token isue` a wrong one. */
async function answerForGroup(first: string, second: string, context: CliContext): Promise<Exit> {
  const isGroup = commands.some(({ name }) => name.startsWith(`${first} `))
  if (!isGroup) throw unknownCommand(first)
  if (second !== '' && !second.startsWith('-')) throw unknownCommand(`${first} ${second}`)
  if (isHelp(second)) {
    context.out(await helpOn(first))
    return 'ok'
  }
  const names = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => `"signalbox ${name}"`)
  throw new CliError('usage', `"signalbox ${first}" is not complete. There are ${names.join(', ')}.`)
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

function flagBeforeCommand(flag: string): string {
  return `The command comes first, then its flags: signalbox <command> ${flag}. See "signalbox --help".`
}

async function report(error: unknown, context: CliContext): Promise<void> {
  const env = await context.readEnvironment()
  const redactor = createRedactorFor(env)
  for (const line of explanation(error).split('\n')) context.err(`signalbox: ${redactor.text(line)}`)
  if (env['SIGNALBOX_LOG_LEVEL'] === 'debug' && error instanceof Error) context.err(redactor.text(inspect(error)))
}

function explanation(error: unknown): string {
  if (error instanceof CliError || error instanceof HubError) return error.message
  return `This should not have happened: ${messageOf(error)}. With SIGNALBOX_LOG_LEVEL=debug the same command says where.`
}
