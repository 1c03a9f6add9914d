/** For tests that need a program of the system: `test/system-packages` names the packages that bring them. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, test } from 'vitest'

export interface Required {
  readonly path: string
  /** Vitest's own where the program is there. */
  readonly describe: typeof describe | typeof describe.skip
}

/** Without the program its tests are reported as not run. With `CI=true` that is a failure, so that nobody overlooks it. */
export function requires(program: string): Required {
  const path = find(program)
  if (path !== undefined) return { path, describe }
  const why = `${program} is not installed; see test/system-packages`
  if (process.env['CI'] === 'true') {
    test(`needs ${program}`, () => {
      throw new Error(`${why}.`)
    })
  } else {
    console.warn(`Not run: ${why}.`)
    test.skip(`not run: ${why}`, () => {})
  }
  return { path: program, describe: describe.skip }
}

/** Where servers are installed may be missing from a person's PATH. */
const serverPlaces = ['/usr/sbin', '/usr/local/sbin', '/sbin']

function find(program: string): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ...serverPlaces]
  return places.map((place) => join(place, program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
