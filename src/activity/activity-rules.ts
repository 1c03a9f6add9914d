/**
 * What the screen of an agent tells, as data: one JSON file for each agent, so that a new version of it needs no new
 * version of the hub. The first rule whose conditions are all met counts.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Pattern } from '../terminal/terminal.ts'
import { compilePattern } from '../terminal/terminal.ts'

/** Where a pattern looks. */
export type Region =
  /** The window's title, in which several agents say what they are doing. */
  | { readonly is: 'osc_title' }
  | { readonly is: 'whole_screen' }
  | { readonly is: 'bottom_non_empty_lines'; readonly count: number }
  /** `prompt` while a shell waits for a command, else `running`. */
  | { readonly is: 'shell' }

export interface ActivityRules {
  readonly rules: readonly ActivityRule[]
  /** Some rule asks for the shell, which costs a look at the process table. */
  readonly needShell: boolean
}

export interface ActivityRule {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly confidence: number
  readonly when: readonly Condition[]
  /** What it waits for: the first that is found is said. */
  readonly reasons: readonly Reason[]
}

export interface Condition {
  readonly region: Region
  readonly pattern: Pattern
}

export interface Reason extends Condition {
  /** `{name}` is what the group of that name caught. */
  readonly says: string
}

const regionSchema = z
  .string()
  .regex(/^(osc_title|whole_screen|shell|bottom_non_empty_lines\([1-9]\d?\))$/, {
    message: 'is none of osc_title, whole_screen, bottom_non_empty_lines(1) to (99), shell',
  })
  .transform((text): Region => {
    const [, count] = /^bottom_non_empty_lines\((\d+)\)$/.exec(text) ?? []
    if (count !== undefined) return { is: 'bottom_non_empty_lines', count: Number(count) }
    return { is: text as 'osc_title' | 'whole_screen' | 'shell' }
  })

const conditionSchema = z.strictObject({ in: regionSchema, matches: z.string() })

const rulesSchema = z.strictObject({
  about: z.string().optional().describe('What the rules go by, for whoever reads the file.'),
  rules: z.array(
    z.strictObject({
      is: z.enum(['working', 'waiting', 'idle']),
      confidence: z.number().min(0).max(1),
      when: z.array(conditionSchema).min(1),
      reason: z.array(conditionSchema.extend({ says: z.string() })).default([]),
    }),
  ),
})

/** Reads `<name>.json` from the first place that has it. Throws with what is wrong in it, and where. */
export async function loadActivityRules(places: readonly string[], name: string): Promise<ActivityRules> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    throw new HubError('invalid', `"${name}" cannot name activity rules: small letters, digits and dashes can.`)
  }
  const files = places.map((place) => join(place, `${name}.json`))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) throw new HubError('not-found', `There are no activity rules "${name}": write ${files[0]}.`)
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
      reasons: await Promise.all(reason.map(async ({ says, ...rest }) => ({ ...(await condition(rest)), says }))),
    })),
  )
  const needShell = rules.some(({ when }) => when.some(({ region }) => region.is === 'shell'))
  return { rules, needShell }
}
