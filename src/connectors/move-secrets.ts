/**
 * Moves secrets out of imported connectors: each becomes a reference to a variable, and the person is told which to
 * set. The value is not stored anywhere.
 */
import type { Connector } from '../api/connector.ts'
import type { TextPlace } from './texts/connector-texts.ts'
import { mapTexts } from './texts/connector-texts.ts'
import { findLiteralSecrets } from './texts/literal-secrets.ts'
import { ownVariable, suggestVariable } from './texts/variable-names.ts'

export interface Moved {
  readonly fields: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

export interface VariableBook {
  /** Chooses a variable for this value: one that already has this value, or one that is not used yet. */
  choose(wanted: readonly string[], value: string): string
}

export function moveSecrets(name: string, fields: Readonly<Record<string, unknown>>, book: VariableBook): Moved {
  const warnings: string[] = []
  const passedOn: string[] = []

  function move(written: string, place: TextPlace): string {
    const text = withoutSecretDefaults(written, place.name)
    let moved = ''
    let end = 0
    for (const range of findLiteralSecrets(text, place.name)) {
      const value = text.slice(range.start, range.end)
      const isWhole = value === text
      const key = isWhole ? place.name : (keyBefore(text.slice(0, range.start)) ?? place.name)
      const own = ownVariable(name, key)
      const variable = book.choose(isWhole ? [suggestVariable(name, place), own] : [own], value)
      moved += `${text.slice(end, range.start)}\${${variable}}`
      end = range.end
      if (place.field === 'args') warnings.push(seenByAll(name, variable))
      if (place.path === `options.env.${variable}` && isWhole) passedOn.push(variable)
    }
    return moved + text.slice(end)
  }

  const moved = mapTexts(fields as Partial<Connector>, move)
  return { fields: passOn(moved, passedOn), warnings: [...new Set(warnings)] }
}

/** In `?api_key=…` and `--token=…`, the word before the value says what it is. */
function keyBefore(text: string): string | undefined {
  // Limit how far back to look: this runs before each secret, and the pattern may start anywhere.
  const near = text.slice(-longestKey)
  if (/:\/\/[^/]*$/.test(near)) return 'password'
  return /([A-Za-z][\w-]*)["']?\s*[=:]\s*(?:Bearer\s+)?$/i.exec(near)?.[1]
}

const longestKey = 200

/** In `${KEY:-sk-…}`, the secret already has a variable, so only the default is removed. */
function withoutSecretDefaults(text: string, name: string | undefined): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*):-([^{}]*)\}/g, (written, variable: string, fallback: string) =>
    findLiteralSecrets(fallback, name).length > 0 ? `\${${variable}}` : written,
  )
}

function passOn(fields: Partial<Connector>, variables: readonly string[]): Readonly<Record<string, unknown>> {
  if (variables.length === 0) return fields
  const { env = {}, ...options } = fields.options ?? {}
  const left = Object.fromEntries(Object.entries(env).filter(([name]) => !variables.includes(name)))
  return {
    ...fields,
    env_keys: [...new Set([...(fields.env_keys ?? []), ...variables])],
    options: { ...options, ...(Object.keys(left).length > 0 && { env: left }) },
  }
}

function seenByAll(connector: string, variable: string): string {
  return (
    `"${connector}": the value of ${variable} stands in the arguments of its program, where every user of the machine can ` +
    'see it. If the program takes it from a variable instead, name that in "env_keys".'
  )
}
