/** Reads the arguments of a command. Throws a usage error that suggests the nearest valid flag. */
import { parseArgs } from 'node:util'
import { nearest } from '../../base/nearest.ts'
import { CliError } from './cli-error.ts'
import type { Arguments, Command, Flag } from './command.ts'

export function readArguments(name: string, command: Command, argv: readonly string[]): Arguments {
  const flags = new Map<string, Flag>(Object.entries(command.flags))
  // Not strict: parseArgs would throw before we can suggest a flag.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...flags].map(([flag, { takes, short }]) => [
        flag,
        { type: takes ? 'string' : 'boolean', ...(short !== undefined && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })

  const given = new Map<string, string[]>()
  const words: string[] = []
  const rest: string[] = []
  let target = words
  for (const token of tokens) {
    switch (token.kind) {
      case 'positional':
        target.push(token.value)
        break
      case 'option': {
        const value = valueOf(token, flags.get(token.name), name, [...flags.keys()])
        given.set(token.name, [...(given.get(token.name) ?? []), ...(value === true ? [] : [value])])
        break
      }
      case 'option-terminator':
        if (command.takesRest) target = rest
        break
    }
  }
  if (target === rest && rest.length === 0) {
    throw usage(name, `There is nothing after "--". Write a command there: signalbox ${name} ${command.takes}.`)
  }
  checkWords(name, command, words)

  return {
    words,
    rest,
    text: (flag) => given.get(flag)?.at(-1),
    texts: (flag) => given.get(flag) ?? [],
    has: (flag) => given.has(flag),
  }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function valueOf(token: OptionToken, flag: Flag | undefined, name: string, known: readonly string[]): string | true {
  const { rawName, value, inlineValue } = token
  if (flag === undefined) {
    const meant = nearest(token.name, known)
    throw usage(name, `"${name}" has no flag ${rawName}.${meant ? ` Did you mean --${meant}?` : ''}`)
  }
  if (flag.takes === undefined) {
    if (value !== undefined) throw usage(name, `${rawName} takes no value.`)
    return true
  }
  if (value === undefined) throw usage(name, `${rawName} needs a value: ${rawName} ${flag.takes}.`)
  // In "--home --port 1" the value was probably forgotten: a directory named "--port" is unlikely.
  if (!inlineValue && value.startsWith('-') && value !== '-') {
    throw usage(name, `${rawName} needs a value. If the value is "${value}", write ${rawName}=${value}.`)
  }
  return value
}

function checkWords(name: string, { words: expected = { min: 0, max: 0 }, takes }: Command, words: readonly string[]) {
  if (words.length > expected.max) throw usage(name, `"${name}" takes no argument "${words[expected.max]}".`)
  if (words.length < expected.min) throw usage(name, `"${name}" needs more arguments: signalbox ${name} ${takes}.`)
}

function usage(name: string, problem: string): CliError {
  return new CliError('usage', `${problem} See "signalbox ${name} --help".`)
}
