/**
 * What a setting may hold. A kind reads text (from a flag or the environment) and YAML values alike, and says in words
 * what it takes, for error messages and the documentation.
 */
import { homedir } from 'node:os'
import { isIP } from 'node:net'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { socketNameSchema } from '../api/socket-name.ts'

export interface Kind<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema
  /** Completes "it takes …". */
  readonly takes: string
}

export function wholeNumber(range: { min: number; max?: number; note?: string }) {
  const { min, max, note } = range
  const limits = max === undefined ? `of ${min} or more` : `from ${min} to ${max}`
  return kind(
    digits(/^\d+$/).pipe(
      z
        .number()
        .int()
        .min(min)
        .max(max ?? Number.MAX_SAFE_INTEGER),
    ),
    `a whole number ${limits}${note ? `; ${note}` : ''}`,
  )
}

export function decimal(range: { min: number; note?: string }) {
  const { min, note } = range
  return kind(digits(/^\d+(\.\d+)?$/).pipe(z.number().min(min)), `a number of ${min} or more${note ? `; ${note}` : ''}`)
}

export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return kind(
    z.enum(words),
    words
      .map((word) => `\`${word}\``)
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' or '),
  )
}

/** Both kinds' values, the first that fits. */
export function either<A extends z.ZodType, B extends z.ZodType>(one: Kind<A>, other: Kind<B>) {
  return kind(z.union([one.schema, other.schema]), `${other.takes}, or ${one.takes}`)
}

export const onOrOff = kind(
  z.union([z.boolean(), z.stringbool({ truthy: ['on', 'true', 'yes', '1'], falsy: ['off', 'false', 'no', '0'] })]),
  '`on` or `off`',
)

export const text = kind(z.string().trim().min(1), 'a text that is not empty')

export const secretText = kind(z.string().regex(/^[\x21-\x7e]+$/), 'a token: printable characters without blanks')

export const slug = kind(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/), 'letters, digits, `.`, `-` and `_`')

export const socketName = kind(socketNameSchema, 'letters, digits, `.`, `-` and `_`, at most 64')

/** Relative to where the command was typed. */
export const directory = kind(
  z
    .string()
    .min(1)
    .transform(expandHome)
    .transform((path) => resolve(path)),
  'a path',
)

/** A file or service has no useful "here" to be relative to. */
export const absolutePath = kind(
  z.string().transform(expandHome).refine(isAbsolute),
  'an absolute path, or one that begins with `~/`',
)

export const urlPath = kind(z.string().regex(/^\/([^?#\s]*\/)?$/), 'a path that begins and ends with `/`')

export const httpUrl = kind(z.string().refine(isHttpUrl), 'a URL that begins with `http://` or `https://`')

/** Something is put behind it that begins with a slash of its own. */
export const urlBase = kind(
  httpUrl.schema.transform((url) => url.replace(/\/+$/, '')),
  httpUrl.takes,
)

export const postgresUrl = kind(
  z.string().refine((value) => hasScheme(value, ['postgres:', 'postgresql:'])),
  'a URL like `postgres://user:password@host:5432/database`',
)

export const hostAddress = kind(
  z
    .string()
    .transform(withoutBrackets)
    .refine((host) => isIP(host) !== 0 || isHostName(host)),
  'an IP address or a host name, without scheme and port',
)

export const hostNames = listOf(
  z.string().refine((host) => /^[^\s/:]+(:\d+)?$/.test(host) || /^\[[0-9a-fA-F:]+\](:\d+)?$/.test(host)),
  'host names, with a port where it is not the usual one, without scheme',
)

export const origins = listOf(
  z.string().refine((value) => isHttpUrl(value) && new URL(value).origin === value.toLowerCase()),
  'origins like `https://example.org`, without a path',
)

function kind<Schema extends z.ZodType>(schema: Schema, takes: string): Kind<Schema> {
  return { schema, takes }
}

function listOf<Item extends z.ZodType<string, string>>(item: Item, takes: string) {
  const parts = z.string().transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  return kind(
    z
      .union([parts, z.array(z.string())])
      .pipe(z.array(item))
      .transform((items): readonly string[] => items),
    `${takes}; several separated by commas, in YAML a list`,
  )
}

function digits(pattern: RegExp) {
  return z.union([z.number(), z.string().trim().regex(pattern).transform(Number)])
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function isHostName(host: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host)
}

function isHttpUrl(value: string): boolean {
  return hasScheme(value, ['http:', 'https:'])
}

function hasScheme(value: string, schemes: readonly string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol)
}
