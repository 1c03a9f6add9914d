/**
 * Rules that read an agent's activity from its screen. They are data, one JSON file for each agent, so that a new
 * version of an agent needs no new version of the hub. The first rule whose conditions all match decides.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { HubError, messageOf } from '../../../base/hub-error.ts'
import type { Pattern } from '../../../terminal/terminal.ts'
import { compilePattern } from '../../../terminal/terminal.ts'

/** The part of the screen that a pattern searches. */
export type Region =
  /** The window title, in which several agents report what they are doing. */
  | { readonly is: 'osc_title' }
  | { readonly is: 'whole_screen' }
  | { readonly is: 'bottom_non_empty_lines'; readonly count: number }
  /** The question and the choices of a selection menu, one per line; empty without a menu. */
  | { readonly is: 'menu' }
  /** `prompt` while a shell waits for a command, else `running`. */
  | { readonly is: 'shell' }

export interface ActivityRules {
  readonly rules: readonly ActivityRule[]
  /** At least one rule needs the state of the shell, which costs a read of the process table. */
  readonly needShell: boolean
}

export interface ActivityRule {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly confidence: number
  readonly when: readonly Condition[]
  /** The reason for waiting is the first of these that matches. */
  readonly reasons: readonly Reason[]
}

export interface Condition {
  readonly region: Region
  readonly pattern: Pattern
}

export interface Reason extends Condition {
  /** `{name}` stands for the text that the group of that name captured. */
  readonly says: string
  /** The same words for every call, such as "Do you want to proceed?". The agent's own report is more specific. */
  readonly isGeneric: boolean
}

const regionSchema = z
  .string()
  .regex(/^(osc_title|whole_screen|menu|shell|bottom_non_empty_lines\([1-9]\d?\))$/, {
    message: 'must be one of osc_title, whole_screen, bottom_non_empty_lines(1) to (99), menu, shell',
  })
  .transform((text): Region => {
    const [, count] = /^bottom_non_empty_lines\((\d+)\)$/.exec(text) ?? []
    if (count !== undefined) return { is: 'bottom_non_empty_lines', count: Number(count) }
    return { is: text as 'osc_title' | 'whole_screen' | 'menu' | 'shell' }
  })

const conditionSchema = z.strictObject({ in: regionSchema, matches: z.string() })

const rulesSchema = z.strictObject({
  about: z.string().optional().describe('Explains the rules to readers of the file.'),
  rules: z.array(
    z.strictObject({
      is: z.enum(['working', 'waiting', 'idle']),
      confidence: z.number().min(0).max(1),
      when: z.array(conditionSchema).min(1),
      reason: z.array(conditionSchema.extend({ says: z.string(), generic: z.boolean().default(false) })).default([]),
    }),
  ),
})

/** Reads `<name>.json` from the first folder that has it. The error of an invalid file says what is wrong and where. */
export async function loadActivityRules(places: readonly string[], name: string): Promise<ActivityRules> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    throw new HubError(
      'invalid',
      `"${name}" is not a valid name for activity rules. Use lowercase letters, digits and dashes.`,
    )
  }
  const files = places.map((place) => join(place, `${name}.json`))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) {
    throw new HubError('not-found', `There are no activity rules named "${name}". Write them to ${files[0]}.`)
  }
  try {
    const { rules } = rulesSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    return await compile(rules)
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error)
    throw new HubError('invalid', `The activity rules in ${file} cannot be used: ${why}`, { cause: error })
  }
}

type WrittenRules = z.output<typeof rulesSchema>['rules']

async function compile(written: WrittenRules): Promise<ActivityRules> {
  const condition = async ({ in: region, matches }: z.output<typeof conditionSchema>): Promise<Condition> => ({
    region,
    pattern: await compilePattern(matches, { ignoreCase: false }),
  })
  const rules = await Promise.all(
    written.map(async ({ is, confidence, when, reason }): Promise<ActivityRule> => ({
      is,
      confidence,
      when: await Promise.all(when.map(condition)),
      reasons: await Promise.all(
        reason.map(async ({ says, generic, ...rest }) => ({ ...(await condition(rest)), says, isGeneric: generic })),
      ),
    })),
  )
  const needShell = rules.some(({ when }) => when.some(({ region }) => region.is === 'shell'))
  return { rules, needShell }
}
