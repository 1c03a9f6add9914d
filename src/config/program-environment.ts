/**
 * The part of the hub's environment that programs of sessions see. They get everything that a shell needs, and nothing
 * that lets a program act as the person: no token of the hub, no variable that is named like a secret or holds a private
 * key or a URL with a secret, and none that a connector uses.
 */
import { delimiter } from 'node:path'
import { secretName } from '../base/redact-names.ts'
import type { Environment } from './environment.ts'

export type ProgramEnvironment = Readonly<Record<string, string>>

/** The variables of the person who runs the hub that programs may see. */
export interface PersonsEnvironment {
  /** Leaves out the variables that connectors use. Connectors may change at any time. */
  forPrograms(): Promise<ProgramEnvironment>
  passedOn(names: readonly string[]): ProgramEnvironment
}

export function programEnvironment(env: Environment): ProgramEnvironment {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isForPrograms(entry[0], entry[1]),
  )
  return {
    ...Object.fromEntries(kept),
    ...(!hasLocale(env) && { LANG: defaultLocale }),
    PATH: withoutNpm(env['PATH'] ?? '/usr/bin:/bin'),
  }
}

/** Removes the variables that connectors name: they hold credentials, even if their names do not say so. */
export function withoutVariables(env: ProgramEnvironment, names: ReadonlySet<string>): ProgramEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name) || !names.has(name)))
}

/** The variables that every upstream gets: enough to find programs, its home and the network. */
export function upstreamEnvironment(env: Environment): ProgramEnvironment {
  return Object.fromEntries(Object.entries(programEnvironment(env)).filter(([name]) => needed.test(name)))
}

/** Without a locale, shells and agents read each byte of an umlaut as a separate character. */
export const defaultLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'

export function hasLocale(env: Environment): boolean {
  return ['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => env[name])
}

const needed =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/

/** The variables that a template names, secrets too, because its program needs them. The hub's own are never passed on. */
export function passedOn(env: Environment, names: readonly string[]): ProgramEnvironment {
  const kept = names.flatMap((name) => {
    const value = env[name]
    return value === undefined || isOurs(name) ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}

function isForPrograms(name: string, value: string): boolean {
  if (isOurs(name) || dropped.test(name)) return false
  // A program needs the proxy to reach the network, even if the URL of the proxy holds a password.
  return needed.test(name) || !(isSecretName(name) || holdsSecret(value))
}

function isSecretName(name: string): boolean {
  return secretName(name) !== undefined || secretVariable.test(name)
}

/**
 * Secret names that only variables have: GH_PAT, PGPASSWORD, SSHPASS, MYSQL_PWD, OTEL_EXPORTER_OTLP_HEADERS. GIT_ASKPASS is
 * a program's path.
 */
const secretVariable =
  /(?:(?:^|_)(?:PAT|PWD|AUTH|AUTH_CONFIG|CREDS?|JWT)|(?<!ASK|BY|COM)PASS|PW|PASSW(?:OR)?D|PASSPHRASE)\d*$|^OTEL_\w*_HEADERS$/i

function holdsSecret(value: string): boolean {
  return privateKey.test(value) || passwordInUrl.test(value) || hasSecretInQuery(value)
}

const privateKey = /-----BEGIN [A-Z\d ]*PRIVATE KEY/

const passwordInUrl = /[a-z][a-z\d+.-]*:\/\/[^\s/?#@]*:[^\s/?#]+@/i

const queryMembers = /[?&#]([^\s=&?#]+)=[^\s&#]/g

function hasSecretInQuery(value: string): boolean {
  return value.includes('://') && value.matchAll(queryMembers).some(([, name]) => isSecretName(name!))
}

function isOurs(name: string): boolean {
  return name.startsWith('SIGNALBOX_') || name === 'DATABASE_URL'
}

/** Variables of npm, of the terminal the hub was started in, and of the hub's own Node. They are wrong for a session. */
const dropped =
  /^(npm_|NODE_(OPTIONS|ENV|CHANNEL_FD|COMPILE_CACHE)$|INIT_CWD$|TMUX|STY$|WINDOWID$|TERM_PROGRAM|VTE_VERSION$|COLUMNS$|LINES$|TERM$|COLORTERM$|PWD$|OLDPWD$|SHLVL$|_$)/

/** npm puts its own folders before the person's. The last of them is always `node-gyp-bin`. */
function withoutNpm(path: string): string {
  const directories = path.split(delimiter)
  const last = directories.findLastIndex((directory) => /\/node-gyp-bin\/?$/.test(directory))
  const isOfNpm = (directory: string, index: number) =>
    index <= last && /\/(node_modules\/\.bin|node-gyp-bin)\/?$/.test(directory)
  return directories.filter((directory, index) => !isOfNpm(directory, index)).join(delimiter)
}
