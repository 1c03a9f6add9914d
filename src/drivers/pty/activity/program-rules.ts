/** The rules for an agent that a person started in a shell: the rules file with the name of its program. */
import type { ActivityRules } from './activity-rules.ts'
import { loadActivityRules } from './activity-rules.ts'
import { isNotFound } from '../../../base/hub-error.ts'

/** Any program may run in a session, so its name must not form a path. */
const possibleName = /^[a-z0-9][a-z0-9-]{0,39}$/
/** These rules are not for a program of that name: shells have many names and are detected by their prompt. */
const notPrograms = new Set(['shell'])

export function createProgramRules(
  places: readonly string[],
  onFault: (program: string, error: unknown) => void,
): (program: string) => Promise<ActivityRules | undefined> {
  const known = new Map<string, Promise<ActivityRules | undefined>>()

  async function load(program: string): Promise<ActivityRules | undefined> {
    try {
      return await loadActivityRules(places, program)
    } catch (error) {
      if (!isNotFound(error)) onFault(program, error)
      return undefined
    }
  }

  return async (program) => {
    if (!possibleName.test(program) || notPrograms.has(program)) return undefined
    const loading = known.get(program) ?? load(program)
    const rules = await loading
    // The watch compares rules by identity, so a program must always get the same object.
    if (rules) known.set(program, loading)
    return rules
  }
}
