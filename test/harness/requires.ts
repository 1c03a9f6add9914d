/** For tests that need a system program. `test/system-packages` names the packages to install. */
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, test } from 'vitest'
import { notRunTitle } from './not-run.ts'

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
  const wanted = [program, ...others]
  const path = wanted.map(find).find((found) => found !== undefined)
  if (path !== undefined) return { path, describe }
  const title = notRunTitle(program, packageOf(program))
  if (process.env['CI'] === 'true') {
    test(title, () => {
      throw new Error(`${program} is not installed; see test/system-packages.`)
    })
  } else {
    test.skip(title, () => {})
  }
  return { path: program, describe: describe.skip }
}

/** Tests that need several programs do not run without one of them. */
export function requiresAll(...programs: readonly string[]): Pick<Required, 'describe'> {
  const all = programs.map((program) => requires(program).describe)
  return { describe: all.find((each) => each !== describe) ?? describe }
}

function packageOf(program: string): string {
  const lines = readFileSync(new URL('../system-packages', import.meta.url), 'utf8').split('\n')
  const words = lines.map((line) => line.split(' ')).find(([, ...programs]) => programs.includes(program))
  if (words?.[0] === undefined) throw new Error(`test/system-packages has no package with the program ${program}.`)
  return words[0]
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
