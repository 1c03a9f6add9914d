/** One setting: its kind of value, its default if any, and the notes for the documentation. */
import type { Kind } from './setting-kinds.ts'

export const settingGroups = {
  hub: 'The hub',
  limits: 'Limits',
  events: 'Event log',
  sessions: 'Sessions',
  models: 'Models that the hub calls itself',
  repositories: 'Answers about repositories',
  clients: 'For the CLI and for agents',
} as const

export interface SettingNotes {
  /** The name in config.yaml is the same in lower case, without `SIGNALBOX_`. */
  readonly environment: string
  readonly group: keyof typeof settingGroups
  readonly description: string
  /** A flag of `signalbox up`, without the dashes. Only for settings that people change from one start to the next. */
  readonly flag?: string
  /** A secret is never shown, and never a flag, because flags are visible in the process list. */
  readonly secret?: boolean
  /** The reason why the setting is not allowed in config.yaml. */
  readonly notInFile?: string
}

/** An entry of `settings.ts`. `fallback` is parsed like any other value, so that "~" is expanded in it too. */
export interface SettingDefinition<Value = unknown> extends SettingNotes {
  readonly kind: Kind<Value>
  readonly fallback?: string | number | boolean | readonly string[]
}

export function setting<Value>(
  kind: Kind<Value>,
  fallback: NonNullable<SettingDefinition['fallback']>,
  notes: SettingNotes,
): SettingDefinition<Value> {
  return { ...notes, kind, fallback }
}

export function optionalSetting<Value>(kind: Kind<Value>, notes: SettingNotes): SettingDefinition<Value | undefined> {
  return { ...notes, kind }
}
