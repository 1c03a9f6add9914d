/**
 * The kinds of values that settings take. A kind parses text (from a flag or the environment) and YAML values, and
 * describes in words what it takes, for error messages and the documentation.
 */
import { homedir } from 'node:os'
import { isIP } from 'node:net'
import { isAbsolute, join, resolve } from 'node:path'
import { socketNamePattern } from '../base/socket-name-pattern.ts'
import { isWebAddress } from '../base/web-address.ts'

/** Plain functions, not zod: every command reads its settings, and loading zod would take longer than most commands. */
export interface Kind<Value = unknown> {
  /** `undefined` if the value is invalid. */
  read(given: unknown): Value | undefined
  /** Completes "it takes …". */
  readonly takes: string
}

export function wholeNumber(range: { min: number; max?: number; note?: string }): Kind<number> {
  const { min, max, note } = range
  const limits = max === undefined ? `of ${min} or more` : `from ${min} to ${max}`
  return {
    read(given) {
      const number = numberIn(given, /^\d+$/)
      return Number.isSafeInteger(number) && number >= min && number <= (max ?? Infinity) ? number : undefined
    },
    takes: `a whole number ${limits}${note ? `; ${note}` : ''}`,
  }
}

export function decimal(range: { min: number; max?: number; note?: string }): Kind<number> {
  const { min, max, note } = range
  const limits = max === undefined ? `of ${min} or more` : `from ${min} to ${max}`
  return {
    read(given) {
      const number = numberIn(given, /^\d+(\.\d+)?$/)
      return Number.isFinite(number) && number >= min && number <= (max ?? Infinity) ? number : undefined
    },
    takes: `a number ${limits}${note ? `; ${note}` : ''}`,
  }
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    read: (given) => words.find((word) => word === given),
    takes: words
      .map((word) => `\`${word}\``)
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' or '),
  }
}

/** Takes the values of both kinds and tries them in order. */
export function either<A, B>(one: Kind<A>, other: Kind<B>): Kind<A | B> {
  return { read: (given) => one.read(given) ?? other.read(given), takes: `${other.takes}, or ${one.takes}` }
}

export const onOrOff: Kind<boolean> = {
  read(given) {
    if (typeof given === 'boolean') return given
    const word = typeof given === 'string' ? given.toLowerCase() : ''
    if (['on', 'true', 'yes', '1'].includes(word)) return true
    return ['off', 'false', 'no', '0'].includes(word) ? false : undefined
  },
  takes: '`on` or `off`',
}

export const text = textKind('a text that is not empty', (given) => given.trim() || undefined)

export const secretText = textLike(/^[\x21-\x7e]+$/, 'a token: printable characters without blanks')

export const slug = textLike(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, `.`, `-` and `_`')

export const socketName = textLike(socketNamePattern, 'letters, digits, `.`, `-` and `_`, at most 64')

/** Relative to the working directory. */
export const directory = textKind('a path', (path) => (path === '' ? undefined : resolve(expandHome(path))))

/** A config file or a service has no useful working directory, so the path must be absolute. */
export const absolutePath = textKind('an absolute path, or one that begins with `~/`', (path) =>
  isAbsolute(expandHome(path)) ? expandHome(path) : undefined,
)

export const urlPath = textLike(/^\/([^?#\s]*\/)?$/, 'a path that begins and ends with `/`')

export const httpUrl = textKind('a URL that begins with `http://` or `https://`', (url) =>
  isWebAddress(url) ? url : undefined,
)

/** Without a trailing slash, because a path that begins with one is appended. */
export const urlBase: Kind<string> = { ...httpUrl, read: (given) => httpUrl.read(given)?.replace(/\/+$/, '') }

export const postgresUrl = textKind('a URL like `postgres://user:password@host:5432/database`', (url) =>
  hasScheme(url, ['postgres:', 'postgresql:']) ? url : undefined,
)

export const hostAddress = textKind('an IP address or a host name, without scheme and port', (given) => {
  const host = withoutBrackets(given)
  return isIP(host) !== 0 || isHostName(host) ? host : undefined
})

export const hostNames = listOf(
  (host) => /^[^\s/:]+(:\d+)?$/.test(host) || /^\[[0-9a-fA-F:]+\](:\d+)?$/.test(host),
  'host names without scheme, with a port if it is not the usual one',
)

export const origins = listOf(
  (value) => isWebAddress(value) && new URL(value).origin === value.toLowerCase(),
  'origins like `https://example.org`, without a path',
)

/** One folder under two names: its path on the host, and its path in the container of the hub. */
export interface MappedPath {
  readonly host: string
  readonly container: string
}

export const pathMap: Kind<readonly MappedPath[]> = {
  read(given) {
    const pairs: unknown = typeof given === 'string' ? partsOf(given) : given
    if (!Array.isArray(pairs)) return undefined
    const mapped = pairs.map(mappedPath)
    return mapped.every((pair) => pair !== undefined) ? mapped : undefined
  },
  takes: 'pairs of absolute paths like `/host:/container`; separated by commas, or a list in YAML',
}

function mappedPath(pair: unknown): MappedPath | undefined {
  const [host = '', container = '', ...rest] = typeof pair === 'string' ? pair.split(':') : []
  if (rest.length > 0 || !isAbsolute(host) || !isAbsolute(container)) return undefined
  return { host: resolve(host), container: resolve(container) }
}

/** The feature that uses it checks the rest, and says what is wrong. */
export const routeMap: Kind<Readonly<Record<string, unknown>>> = {
  read(given) {
    const map = typeof given === 'string' ? parsedJson(given) : given
    return typeof map === 'object' && map !== null && !Array.isArray(map) ? (map as Record<string, unknown>) : undefined
  },
  takes: 'a map from actions to lists of ways; as JSON in the environment',
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textKind(takes: string, read: (given: string) => string | undefined): Kind<string> {
  return { read: (given) => (typeof given === 'string' ? read(given) : undefined), takes }
}

function textLike(pattern: RegExp, takes: string): Kind<string> {
  return textKind(takes, (given) => (pattern.test(given) ? given : undefined))
}

function listOf(fits: (item: string) => boolean, takes: string): Kind<readonly string[]> {
  return {
    read(given) {
      const items: unknown = typeof given === 'string' ? partsOf(given) : given
      return Array.isArray(items) && items.every((item) => typeof item === 'string' && fits(item)) ? items : undefined
    },
    takes: `${takes}; separated by commas, or a list in YAML`,
  }
}

function partsOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** `NaN` if it is not a number. */
function numberIn(given: unknown, pattern: RegExp): number {
  if (typeof given === 'string') return pattern.test(given.trim()) ? Number(given) : Number.NaN
  return typeof given === 'number' ? given : Number.NaN
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

function hasScheme(value: string, schemes: readonly string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol)
}
