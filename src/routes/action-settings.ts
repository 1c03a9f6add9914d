/** The ways of each action: what a person set, else what config.yaml says, else the default model. */
import { z } from 'zod'
import type { Action } from '../api/action.ts'
import { actionName, actions } from '../api/action.ts'
import type { Way } from '../api/route.ts'
import { waysSchema } from '../api/route.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { RouteStore } from './route-store.ts'
import type { ActionSetting } from './route.ts'
import { placeholdersOf, unknownPlaceholders } from './way-arguments.ts'

export interface SettingOfAction extends ActionSetting {
  readonly action: Action
  readonly from: string
}

/** Asking for these again changes nothing. A refactoring may change files, so it is not repeated. */
const safeByDefault: Readonly<Record<Action, boolean>> = {
  code_advice: true,
  search_web: true,
  tests_generate: true,
  refactor_apply: false,
  chat: true,
}

const defaultWays: readonly Way[] = [{ model: 'default' }]

/** `routes:` of config.yaml, and where it is written. */
export interface FileRoutes {
  readonly value: Readonly<Record<string, unknown>>
  readonly from: string
}

export interface ActionSettings {
  of(action: Action): Promise<SettingOfAction>
  all(): Promise<readonly SettingOfAction[]>
}

/** Throws if the file is wrong. */
export function createActionSettings(rows: Pick<RouteStore, 'read'>, file: FileRoutes | undefined): ActionSettings {
  const inFile = file === undefined ? new Map<Action, ActionSetting>() : readFileRoutes(file)
  async function all(): Promise<readonly SettingOfAction[]> {
    const set = await rows.read()
    return actions.map((action) => {
      const stored = set.get(action)
      if (stored) return { action, ...stored, from: 'set_routes' }
      const written = inFile.get(action)
      if (written) return { action, ...written, from: file?.from ?? '' }
      return { action, ways: defaultWays, safeToRepeat: safeByDefault[action], from: 'default' }
    })
  }
  return {
    all,
    // Every action has a setting.
    of: async (action) => (await all()).find((setting) => setting.action === action)!,
  }
}

/** The setting that a person or the file gives. */
export function toSetting(action: Action, ways: readonly Way[], isSafe: boolean | undefined): ActionSetting {
  for (const [index, way] of ways.entries()) {
    if (!('connector' in way) || !way.arguments) continue
    const [unknown] = unknownPlaceholders(way.arguments, action)
    if (unknown === undefined) continue
    const known = placeholdersOf(action).map((name) => `{${name}}`)
    throw new HubError(
      'invalid',
      `"ways.${index}.arguments": the input of ${action} has no {${unknown}}. It has ${known.join(', ')}.`,
    )
  }
  return { ways, safeToRepeat: isSafe ?? safeByDefault[action] }
}

const fileSchema = z.strictObject({ ways: waysSchema, safe_to_repeat: z.boolean().optional() })

function readFileRoutes({ value, from }: FileRoutes): ReadonlyMap<Action, ActionSetting> {
  return new Map(
    Object.entries(value).map(([name, written]) => {
      const action = actionName.safeParse(name)
      if (!action.success) throw wrong(from, name, `there is no such action, only ${actions.join(', ')}`)
      // Chosen by hand, because the error for a union would describe both forms.
      const given = Array.isArray(written) ? { ways: written as readonly unknown[] } : written
      const parsed = fileSchema.safeParse(given, { error: plainIssue })
      if (!parsed.success) throw wrong(from, name, parsed.error.issues.map(inWords).join('; '))
      const { ways, safe_to_repeat: isSafe } = parsed.data
      try {
        return [action.data, toSetting(action.data, ways, isSafe)] as const
      } catch (error) {
        throw wrong(from, name, messageOf(error).replace(/\.$/, ''))
      }
    }),
  )
}

function inWords(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return path === '' ? issue.message : `"${path}": ${issue.message}`
  const place = path === '' ? '' : ` in "${path}"`
  return `${issue.keys.map((key) => `"${key}"`).join(', ')} is not known${place}`
}

function wrong(from: string, action: string, what: string): HubError {
  return new HubError('invalid', `${from}, routes, ${action}: ${what}.`)
}
