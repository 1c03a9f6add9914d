/** Variables of the hub as one upstream asks for them: what is secret among them is made known, what is missing noted. */
import { secretName } from '../base/redact-names.ts'
import { fillIn, type Places } from './references.ts'
import { findShapes } from './secret-shapes.ts'

export interface Variables {
  /** `name`: what the text stands under. What is missing is left empty. */
  fill(text: string, places: Places, name?: string): string
  named(names: readonly string[]): Readonly<Record<string, string>>
  missing(): readonly string[]
}

export function createVariables(
  environment: Readonly<Record<string, string | undefined>>,
  onSecret: (value: string) => void,
): Variables {
  const missing = new Set<string>()

  function take(variable: string, standsUnder?: string): string | undefined {
    const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined
    if (value !== undefined && isSecret([variable, standsUnder], value)) onSecret(value)
    return value
  }

  return {
    fill: (text, places, name) =>
      fillIn(text, places, ({ variable, fallback }) => {
        const value = take(variable, name)
        // As in a shell: the default counts for what is empty, too.
        if (fallback !== undefined) return value || fillIn(fallback, places, (_, written) => written)
        if (value === undefined) missing.add(variable)
        return value ?? ''
      }),
    named(names) {
      const found = names.flatMap((name) => {
        const value = take(name)
        if (value === undefined) missing.add(name)
        return value === undefined ? [] : [[name, value] as const]
      })
      return Object.fromEntries(found)
    },
    missing: () => [...missing],
  }
}

/** A value that is asked for by reference is a secret, unless it plainly is none: hiding each "/home/me" would blind the log. */
function isSecret(names: readonly (string | undefined)[], value: string): boolean {
  if (names.some((name) => name !== undefined && secretName(name) !== undefined)) return true
  return findShapes(value).length > 0 || !isPlain(value)
}

/** A short word, a number, a path, or an address without user and query. */
function isPlain(value: string): boolean {
  return /^(?:[A-Za-z]{0,12}|[\d.:-]*|(?:~|\.{0,2})\/[^\n]*|https?:\/\/[^\s@?]*|[\w.-]+\.[a-z]{2,}(?::\d+)?)$/.test(
    value,
  )
}
