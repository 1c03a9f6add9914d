/** Writes the text of the systemd unit, and reads an installed unit. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../config/config.ts'

export type ServiceScope = { readonly is: 'user' } | { readonly is: 'system'; readonly runAs: string }

export const unitName = 'signalbox.service'

const marker = '# Written by "signalbox service install".'

export function renderUnit(unit: { bin: string; searchPath: string; home?: string; scope: ServiceScope }): string {
  const { bin, searchPath, home, scope } = unit
  return [
    marker,
    '',
    '[Unit]',
    'Description=Signalbox, the hub for AI coding agents',
    ...(scope.is === 'system' ? ['After=network.target'] : []),
    '',
    '[Service]',
    `ExecStart=${quoted(bin.replaceAll('$', '$$$$'))} up`,
    '# The PATH of the shell that installed this: systemd has a short one, and agents are often elsewhere.',
    `Environment=${quoted(`PATH=${searchPath}`)}`,
    ...(home === undefined ? [] : [`Environment=${quoted(`SIGNALBOX_HOME=${home}`)}`]),
    ...(scope.is === 'system' ? [`User=${scope.runAs}`] : []),
    '# Terminals live in processes of their own, which must outlive the hub: by default systemd would kill them with it.',
    'KillMode=process',
    'Restart=on-failure',
    'RestartSec=2',
    '# Wrong configuration, and a data directory that another hub holds: trying again would not help.',
    'RestartPreventExitStatus=2 7',
    '# The line on stdout holds a token, which is not for the journal. The log is on stderr.',
    'StandardOutput=null',
    'StandardError=journal',
    '',
    '[Install]',
    `WantedBy=${scope.is === 'system' ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n')
}

/** The path where systemd looks for the unit. */
export function unitPath(scope: ServiceScope['is'], env: Environment): string {
  if (scope === 'system') return join('/etc/systemd/system', unitName)
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'systemd', 'user', unitName)
}

export interface InstalledUnit {
  readonly path: string
  readonly text: string
  /** We wrote it, so we may replace it. */
  readonly isOurs: boolean
  /** Systemd's default if the unit does not set it. */
  readonly killMode: string
  /** The program it starts. */
  readonly program?: string
  /** The PATH it sets, if any. */
  readonly searchPath?: string
}

export function readUnit(path: string): InstalledUnit | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
  const program = firstWord(valueOf(text, 'ExecStart'))
  const searchPath = variableOf(text, 'PATH')
  return {
    path,
    text,
    isOurs: text.startsWith(marker),
    killMode: valueOf(text, 'KillMode') ?? 'control-group',
    ...(program !== undefined && { program }),
    ...(searchPath !== undefined && { searchPath }),
  }
}

/** The problems of a unit, and how to fix each. */
export function faultsOf(unit: InstalledUnit, bin: string): readonly { says: string; mend: string }[] {
  const { path, killMode, program } = unit
  const reinstall = `run "signalbox service install --force${path.startsWith('/etc/') ? ` --system --path ${path}` : ''}"`
  const faults = []
  if (killMode !== 'process') {
    faults.push({
      says: `${path} has KillMode=${killMode}: systemd kills every terminal when the hub stops`,
      mend: `${reinstall}, or set KillMode=process in it`,
    })
  }
  if (program === undefined || !existsSync(program)) {
    faults.push({ says: `${path} starts ${program ?? 'nothing'}, which does not exist`, mend: reinstall })
  } else if (realpathSync(program) !== realpathSync(bin)) {
    faults.push({
      says: `${path} starts ${program}, which is another installation than this one, ${bin}`,
      mend: reinstall,
    })
  }
  return faults
}

/** The systemctl command for a unit at this path. */
export function systemctlFor(path: string): string {
  return path.startsWith('/etc/') ? 'sudo systemctl' : 'systemctl --user'
}

/** The last line wins, as in systemd. */
function valueOf(text: string, key: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.findLast((line) => line.startsWith(`${key}=`))?.slice(key.length + 1)
}

/** A line may set several variables. The last one wins. */
function variableOf(text: string, name: string): string | undefined {
  const words = [...text.matchAll(/^\s*Environment=(.*)$/gm)].flatMap(([, line = '']) => [...line.matchAll(word)])
  return words
    .map(unquoted)
    .findLast((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** Removes the prefixes `-`, `@`, `:`, `+` and `!` of the program. */
function firstWord(command: string | undefined): string | undefined {
  const [first] = (command ?? '').replace(/^[-@:+!]*/, '').matchAll(word)
  return first && unquoted(first).replaceAll('$$', '$')
}

const word = /"((?:[^"\\]|\\.)*)"|(\S+)/g

/** Undoes `quoted`. */
function unquoted([, inQuotes, bare = '']: RegExpExecArray): string {
  return (inQuotes?.replaceAll(/\\(.)/g, '$1') ?? bare).replaceAll('%%', '%')
}

/** Systemd splits at blanks, knows C escapes, and reads "%" as the start of a specifier. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%')
  return /[\s"'\\;]/.test(escaped) ? `"${escaped.replaceAll(/["\\]/g, '\\$&')}"` : escaped
}
