/**
 * Loads the configuration. Flags win over the environment, the environment over `config.yaml` in the data directory, and
 * that over the defaults. Each value keeps its source. One error lists all problems, each with its place and a fix.
 */
import { join } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { nearest } from '../base/nearest.ts'
import { readConfigFile } from './config-file.ts'
import type { ConfigFileEntry } from './config-file.ts'
import type { Environment } from './environment.ts'
import { readEnvironment } from './environment.ts'
import { settings } from './settings.ts'
import type { Config, Setting } from './settings.ts'

export {
  defaultLocale,
  hasLocale,
  passedOn,
  programEnvironment,
  upstreamEnvironment,
  withoutVariables,
} from './program-environment.ts'
export type { PersonsEnvironment, ProgramEnvironment } from './program-environment.ts'
export type { MappedPath } from './setting-kinds.ts'
export { readEnvironment, settings }
export type { Config, Environment, Setting }

export interface LoadedConfig {
  readonly config: Config
  /** The source of each value, in the order of the schema. */
  readonly sources: readonly Source[]
  /** For people. The hub runs despite these. */
  readonly warnings: readonly string[]
  /** The environment it was read from, for the programs of sessions. */
  readonly environment: Environment
}

export interface Source {
  /** The name in config.yaml. */
  readonly key: string
  /** As in `Config`; a secret that is set reads `[redacted]`. */
  readonly value: unknown
  /** `flag --port`, `environment SIGNALBOX_PORT`, `config.yaml:3` or `default` */
  readonly from: string
}

/** Values by the names of flags, without the dashes. */
export type ConfigFlags = Readonly<Record<string, string | undefined>>

export function loadConfig(given: { flags?: ConfigFlags; env?: Environment } = {}): LoadedConfig {
  const { flags = {}, env = readEnvironment() } = given
  const path = join(findHome({ flags, env }), 'config.yaml')
  const file = readConfigFile(path)

  const stated = settings.map((setting) => find(setting, { flags, env, file, path }))
  const problems = [...misplacedKeys(file, path), ...stated.filter((each) => !fits(each)).map(misfit)]
  if (problems.length > 0) throw new HubError('invalid', problems.join('\n'))

  const config = Object.freeze(
    Object.fromEntries(stated.map((each) => [each.setting.property, valueOf(each)])),
  ) as Config
  return {
    config,
    sources: stated.map(({ setting, from }) => ({
      key: setting.key,
      value: shown(setting, config[setting.property]),
      from,
    })),
    warnings: unknownVariables(env),
    environment: env,
  }
}

/** The data directory, which must be known before the file in it can be read. */
export function findHome({ flags, env }: { flags: ConfigFlags; env: Environment }): string {
  const setting = settings.find(({ property }) => property === 'home')!
  const stated = find(setting, { flags, env, file: [], path: '' })
  if (!fits(stated)) throw new HubError('invalid', misfit(stated))
  return String(valueOf(stated))
}

interface Places {
  readonly flags: ConfigFlags
  readonly env: Environment
  readonly file: readonly ConfigFileEntry[]
  readonly path: string
}

/** The value of a setting in the first place that has it. */
interface Stated {
  readonly setting: Setting
  readonly value: unknown
  readonly from: string
  /** The place, as the start of a sentence. */
  readonly place: string
}

function find(setting: Setting, { flags, env, file, path }: Places): Stated {
  const { flag, environment, key } = setting
  const flagged = flag === undefined ? undefined : flags[flag]
  if (flagged !== undefined) return { setting, value: flagged, from: `flag --${flag}`, place: `The flag --${flag}` }

  const variable = env[environment]
  // Compose files and CI set unknown variables to the empty string, so an empty variable counts as absent. An empty
  // secret is different: it is a failed look-up, and ignoring it would use the wrong database or token.
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

/** The value after its kind has parsed it. */
function valueOf({ setting: { kind, fallback }, value }: Stated): unknown {
  const given = value === undefined ? fallback : value
  return given === undefined ? undefined : kind.read(given)
}

function fits({ setting: { kind }, value }: Stated): boolean {
  return value === undefined || kind.read(value) !== undefined
}

function misfit({ setting, value, place }: Stated): string {
  if (value === '' || value === null) return `${place} is empty. Set it to ${setting.kind.takes}, or remove it.`
  const shownValue = setting.secret ? 'has another value (not shown, it is a secret)' : `is ${JSON.stringify(value)}`
  return `${place} ${shownValue}, but it takes ${setting.kind.takes}.`
}

function misplacedKeys(file: readonly ConfigFileEntry[], path: string): string[] {
  const allowed = settings.filter(({ notInFile }) => notInFile === undefined).map(({ key }) => key)
  return file.flatMap(({ key, line }) => {
    if (allowed.includes(key)) return []
    const reason = settings.find((each) => each.key === key)?.notInFile
    if (reason !== undefined) return [`${path}:${line}: ${key} is not allowed here: ${reason}.`]
    const meant = nearest(key, allowed)
    const advice = meant ? `Did you mean "${meant}"?` : '"signalbox config" lists all settings.'
    return [`${path}:${line}: there is no setting "${key}". ${advice}`]
  })
}

function unknownVariables(env: Environment): string[] {
  const known = settings.map(({ environment }) => environment)
  return Object.keys(env)
    .filter((name) => name.startsWith('SIGNALBOX_') && !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      const advice = meant ? `Did you mean ${meant}?` : '"signalbox config" lists all settings.'
      return `Signalbox does not know the environment variable ${name}. ${advice}`
    })
}

function shown({ secret }: Setting, value: unknown): unknown {
  return secret && value !== undefined ? '[redacted]' : value
}
