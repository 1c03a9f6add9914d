/**
 * Looks up variables of the hub for one upstream. Reports secret values to the redactor, and collects missing
 * variables.
 */
import { secretName } from '../base/redact-names.ts'
import type { Places } from './texts/references.ts'
import { fillIn } from './texts/references.ts'
import { findShapes } from './texts/secret-shapes.ts'

export interface Variables {
  /** `name` is the key that the text belongs to. Missing variables are left empty. */
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
        // As in a shell, the default also replaces an empty value.
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

/**
 * The value of a variable counts as secret unless it is clearly harmless. Hiding every "/home/me" would make the log
 * unreadable.
 */
function isSecret(names: readonly (string | undefined)[], value: string): boolean {
  if (names.some((name) => name !== undefined && secretName(name) !== undefined)) return true
  return findShapes(value).length > 0 || !isPlain(value)
}

/** Matches a short word, a number, a path, or an address without user and query. */
function isPlain(value: string): boolean {
  return /^(?:[A-Za-z]{0,12}|[\d.:-]*|(?:~|\.{0,2})\/[^\n]*|https?:\/\/[^\s@?]*|[\w.-]+\.[a-z]{2,}(?::\d+)?)$/.test(
    value,
  )
}
