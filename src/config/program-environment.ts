/**
 * What the programs of sessions see of the hub's environment: everything that makes a shell feel at home, and nothing
 * that lets a program act as the person: no token of ours, no variable that is named like a secret.
 */
import { delimiter } from 'node:path'
import { secretName } from '../base/redact-names.ts'
import type { Environment } from './environment.ts'

export type ProgramEnvironment = Readonly<Record<string, string>>

export function programEnvironment(env: Environment): ProgramEnvironment {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !isOurs(entry[0]) && secretName(entry[0]) === undefined && !dropped.test(entry[0]),
  )
  return { ...Object.fromEntries(kept), PATH: withoutNpm(env['PATH'] ?? '/usr/bin:/bin') }
}

/** What an upstream gets without being named to it: enough to find programs, its home, and the way to the network. */
export function upstreamEnvironment(env: Environment): ProgramEnvironment {
  return Object.fromEntries(Object.entries(programEnvironment(env)).filter(([name]) => needed.test(name)))
}

const needed =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/

/** The variables a template names, secrets too: it says that its program needs them. Ours stay ours. */
export function passedOn(env: Environment, names: readonly string[]): ProgramEnvironment {
  const kept = names.flatMap((name) => {
    const value = env[name]
    return value === undefined || isOurs(name) ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}

function isOurs(name: string): boolean {
  return name.startsWith('SIGNALBOX_') || name === 'DATABASE_URL'
}

/** Of npm, of the terminal the hub was started in, and of the way Node was started: nothing of the session's. */
const dropped =
  /^(npm_|NODE_(OPTIONS|ENV|CHANNEL_FD|COMPILE_CACHE)$|INIT_CWD$|TMUX|STY$|WINDOWID$|TERM_PROGRAM|VTE_VERSION$|COLUMNS$|LINES$|TERM$|COLORTERM$|PWD$|OLDPWD$|SHLVL$|_$)/

/** npm puts its own folders before the person's; the person's own programs are meant. */
function withoutNpm(path: string): string {
  const kept = path.split(delimiter).filter((directory) => !/\/node_modules\/(\.bin$|npm\/|@npmcli\/)/.test(directory))
  return kept.join(delimiter)
}
