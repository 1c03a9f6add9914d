/**
 * The configuration: flags, before the environment, before `config.yaml` in the data directory, before defaults. Each
 * value remembers where it came from, and whatever is wrong is said all at once, with its place and what would work.
 */
import { join } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { nearest } from '../base/nearest.ts'
import { readConfigFile } from './config-file.ts'
import type { ConfigFileEntry } from './config-file.ts'
import type { Environment } from './environment.ts'
import { readEnvironment } from './environment.ts'
import { configSchema, settings } from './settings.ts'
import type { Config, Setting } from './settings.ts'

export { passedOn, programEnvironment, upstreamEnvironment } from './program-environment.ts'
export type { ProgramEnvironment } from './program-environment.ts'
export { readEnvironment, settings }
export type { Config, Environment, Setting }

export interface LoadedConfig {
  readonly config: Config
  /** Where each value came from, in the order of the schema. */
  readonly sources: readonly Source[]
  /** For people; nothing here keeps the hub from running. */
  readonly warnings: readonly string[]
  /** What it was read from, for the programs of sessions. */
  readonly environment: Environment
}

export interface Source {
  /** As in config.yaml. */
  readonly key: string
  /** As in `Config`; a secret that is set reads `[redacted]`. */
  readonly value: unknown
  /** `flag --port`, `environment SIGNALBOX_PORT`, `config.yaml:3` or `default` */
  readonly from: string
}

/** By name, without the dashes. */
export type ConfigFlags = Readonly<Record<string, string | undefined>>

export function loadConfig(given: { flags?: ConfigFlags; env?: Environment } = {}): LoadedConfig {
  const { flags = {}, env = readEnvironment() } = given
  const path = join(homeOf(flags, env), 'config.yaml')
  const file = readConfigFile(path)

  const stated = settings.map((setting) => find(setting, { flags, env, file, path }))
  const read = configSchema.safeParse(valuesOf(stated))
  const misfits = read.error?.issues.map((issue) => issue.path[0])
  const problems = [
    ...misplacedKeys(file, path),
    ...stated.filter(({ setting }) => misfits?.includes(setting.property)).map(misfit),
  ]
  if (!read.success || problems.length > 0) throw new HubError('invalid', problems.join('\n'))

  const config: Config = Object.freeze(read.data)
  const values = new Map<string, unknown>(Object.entries(config))
  return {
    config,
    sources: stated.map(({ setting, from }) => ({
      key: setting.key,
      value: shown(setting, values.get(setting.property)),
      from,
    })),
    warnings: unknownVariables(env),
    environment: env,
  }
}

/** The data directory has to be known before the file in it can be read. */
function homeOf(flags: ConfigFlags, env: Environment): string {
  const stated = settings
    .filter(({ property }) => property === 'home')
    .map((setting) => find(setting, { flags, env, file: [], path: '' }))
  const read = configSchema.pick({ home: true }).safeParse(valuesOf(stated))
  if (!read.success) throw new HubError('invalid', stated.map(misfit).join('\n'))
  return read.data.home
}

interface Places {
  readonly flags: ConfigFlags
  readonly env: Environment
  readonly file: readonly ConfigFileEntry[]
  readonly path: string
}

/** What was said about a setting, in the first place that has it. */
interface Stated {
  readonly setting: Setting
  readonly value: unknown
  readonly from: string
  /** The beginning of a sentence about it. */
  readonly place: string
}

function find(setting: Setting, { flags, env, file, path }: Places): Stated {
  const { flag, environment, key } = setting
  const flagged = flag === undefined ? undefined : flags[flag]
  if (flagged !== undefined) return { setting, value: flagged, from: `flag --${flag}`, place: `The flag --${flag}` }

  const variable = env[environment]
  // Compose files and CI set what they do not know to the empty text. A secret is another matter: an empty one is a
  // look-up that failed, and going on without it would use another database or another token than was meant.
  if (variable !== undefined && (variable !== '' || setting.secret)) {
    return { setting, value: variable, from: `environment ${environment}`, place: environment }
  }

  const entry = file.find((each) => each.key === key)
  if (entry) {
    const { value, line } = entry
    return { setting, value, from: `config.yaml:${line}`, place: `${path}:${line}, ${key},` }
  }
  return { setting, value: undefined, from: 'default', place: 'The default' }
}

function valuesOf(stated: readonly Stated[]): Record<string, unknown> {
  return Object.fromEntries(stated.map(({ setting, value }) => [setting.property, value]))
}

function misfit({ setting, value, place }: Stated): string {
  if (value === '' || value === null) return `${place} is empty: give it ${setting.takes}, or take it away.`
  const said = setting.secret ? 'holds something else (not shown, it is a secret)' : `says ${JSON.stringify(value)}`
  return `${place} ${said}, but it takes ${setting.takes}.`
}

function misplacedKeys(file: readonly ConfigFileEntry[], path: string): string[] {
  const allowed = settings.filter(({ notInFile }) => notInFile === undefined).map(({ key }) => key)
  return file.flatMap(({ key, line }) => {
    if (allowed.includes(key)) return []
    const reason = settings.find((each) => each.key === key)?.notInFile
    if (reason !== undefined) return [`${path}:${line}: ${key} cannot stand here: ${reason}.`]
    const meant = nearest(key, allowed)
    const advice = meant ? `Did you mean "${meant}"?` : '"signalbox config" lists the settings there are.'
    return [`${path}:${line}: there is no setting "${key}". ${advice}`]
  })
}

function unknownVariables(env: Environment): string[] {
  const known = settings.map(({ environment }) => environment)
  return Object.keys(env)
    .filter((name) => name.startsWith('SIGNALBOX_') && !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      const advice = meant ? `Did you mean ${meant}?` : '"signalbox config" lists the names there are.'
      return `The environment variable ${name} means nothing to Signalbox. ${advice}`
    })
}

function shown({ secret }: Setting, value: unknown): unknown {
  return secret && value !== undefined ? '[redacted]' : value
}
