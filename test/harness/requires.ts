/** For tests that need a system program. `test/system-packages` names the packages to install. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, test } from 'vitest'

export interface Required {
  readonly path: string
  /** Vitest's own `describe` if the program is installed. */
  readonly describe: typeof describe | typeof describe.skip
}

/**
 * Takes the first of the programs that is installed. Without any, the tests are reported as not run. With `CI=true` that is a
 * failure, so it cannot be overlooked.
 */
export function requires(program: string, ...others: readonly string[]): Required {
  const path = [program, ...others].map(find).find((found) => found !== undefined)
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

/** Directories of server programs, which a person's PATH may lack. */
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
