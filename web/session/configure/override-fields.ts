/** The fields of a connector that a session can override, each as a text that a person edits. */
import type { Connector, Overrides } from '../../../src/api/connector.ts'
import { fromWords, toWords } from './words.ts'

/** A connector, alone or with its overrides applied. */
export type Settings = Partial<Connector>

export interface OverrideField {
  readonly name: string
  readonly hint?: string
  /** Without it, any text. */
  readonly choices?: readonly string[]
  /** One line per entry. */
  readonly hasLines?: boolean
  /** Only programs have a command, only servers an address. */
  readonly for?: 'program' | 'server'
  /** `undefined`: it has none. */
  read(settings: Settings): string | undefined
  readOverride(overrides: Overrides): string | undefined
  /** Throws a sentence if the text cannot be read. */
  write(text: string): Overrides
}

const transports: readonly Connector['transport'][] = ['stdio', 'http', 'sse']

type Options = NonNullable<Overrides['options']>

export const overrideFields: readonly OverrideField[] = [
  {
    name: 'transport',
    choices: transports,
    read: ({ transport }) => transport,
    readOverride: ({ transport }) => transport,
    write: (text) => ({ transport: text as Connector['transport'] }),
  },
  {
    name: 'base_url',
    for: 'server',
    read: ({ base_url: url }) => url,
    readOverride: ({ endpoint }) => endpoint,
    write: (endpoint) => ({ endpoint }),
  },
  {
    name: 'headers',
    for: 'server',
    hint: 'Name: value, one per line; secrets as ${VARIABLE}',
    hasLines: true,
    read: ({ headers }) => headers && fromMap(headers, ': '),
    readOverride: ({ headers }) => headers && fromMap(headers, ': '),
    write: (text) => ({ headers: toMap(text, ':') }),
  },
  {
    name: 'cmd',
    for: 'program',
    read: ({ cmd }) => cmd,
    readOverride: ({ cmd }) => cmd,
    write: (cmd) => ({ cmd }),
  },
  {
    name: 'args',
    for: 'program',
    read: ({ args }) => args && fromWords(args),
    readOverride: ({ args }) => args && fromWords(args),
    write: (text) => ({ args: [...toWords(text)] }),
  },
  {
    name: 'env_keys',
    for: 'program',
    hint: 'Names of variables of the hub',
    read: ({ env_keys: keys }) => keys && fromWords(keys),
    readOverride: ({ env_keys: keys }) => keys && fromWords(keys),
    write: (text) => ({ env_keys: [...toWords(text)] }),
  },
  {
    ...option('env', fromEnv, (text) => toMap(text, '=')),
    for: 'program',
    hint: 'NAME=value, one per line; no secrets',
    hasLines: true,
  },
  { ...option('cwd', String, (text) => text), for: 'program' },
  { ...option('enabled_tools', fromList, toList), hint: 'Only these; * is any text' },
  { ...option('disabled_tools', fromList, toList), hint: 'None of these; * is any text' },
  { ...option('call_ms', String, toNumber), hint: 'A call that takes longer is cancelled' },
  {
    name: 'strict',
    choices: ['true', 'false'],
    read: ({ strict }) => strict?.toString(),
    readOverride: ({ strict }) => strict?.toString(),
    write: (text) => ({ strict: text === 'true' }),
  },
]

function option<Name extends 'env' | 'cwd' | 'enabled_tools' | 'disabled_tools' | 'call_ms'>(
  name: Name,
  show: (value: NonNullable<Options[Name]>) => string,
  parse: (text: string) => NonNullable<Options[Name]>,
): OverrideField {
  const shown = (options: Options | undefined) => {
    const value = options?.[name]
    return value === undefined ? undefined : show(value)
  }
  return {
    name,
    read: ({ options }) => shown(options),
    readOverride: ({ options }) => shown(options),
    write: (text) => ({ options: { [name]: parse(text) } }),
  }
}

/** The texts of the overrides, by the names of their fields. */
export type OverrideTexts = Readonly<Record<string, string>>

export function textsOf(overrides: Overrides): OverrideTexts {
  return Object.fromEntries(
    overrideFields.flatMap((field) => {
      const text = field.readOverride(overrides)
      return text === undefined ? [] : [[field.name, text]]
    }),
  )
}

/** `before`: the overrides with options that have no field here, which stay. Throws a sentence about a text. */
export function overridesOf(texts: OverrideTexts, before: Overrides): Overrides {
  const known = new Set(overrideFields.map(({ name }) => name))
  const others = Object.entries(before.options ?? {}).filter(([name]) => !known.has(name))
  let overrides: Overrides = others.length > 0 ? { options: Object.fromEntries(others) } : {}
  for (const field of overrideFields) {
    const text = texts[field.name]
    if (text === undefined) continue
    const { options, ...written } = field.write(text)
    overrides = { ...overrides, ...written, ...(options && { options: { ...overrides.options, ...options } }) }
  }
  return overrides
}

function fromEnv(map: Readonly<Record<string, string>>): string {
  return fromMap(map, '=')
}

function fromMap(map: Readonly<Record<string, string>>, separator: string): string {
  return Object.entries(map)
    .map(([name, value]) => `${name}${separator}${value}`)
    .join('\n')
}

function toMap(text: string, separator: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator)
      if (at < 1) throw new Error(`"${line}" has no "${separator}". Write name${separator}value.`)
      return [line.slice(0, at).trim(), line.slice(at + separator.length).trim()]
    }),
  )
}

function fromList(words: readonly string[]): string {
  return fromWords(words)
}

function toList(text: string): string[] {
  return [...toWords(text)]
}

function toNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isInteger(number)) throw new Error(`"${text}" is not a number of milliseconds.`)
  return number
}
