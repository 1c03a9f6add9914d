/**
 * Takes the secrets out of what is imported: each becomes a reference to a variable, and the person is told which to set.
 * What it said is kept nowhere.
 */
import type { Connector } from '../api/connector.ts'
import { type TextPlace, mapTexts } from './connector-texts.ts'
import { findLiteralSecrets } from './literal-secrets.ts'
import { ownVariable, suggestVariable } from './variable-names.ts'

export interface Moved {
  readonly fields: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

export interface VariableBook {
  /** A variable under which this value is kept, or can be: one that holds it already, or that nobody uses yet. */
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

/** `?api_key=…`, `--token=…`: the word before it says what it is. */
function keyBefore(text: string): string | undefined {
  // No further back: it is looked for before each secret, and may begin anywhere.
  const near = text.slice(-longestKey)
  if (/:\/\/[^/]*$/.test(near)) return 'password'
  return /([A-Za-z][\w-]*)["']?\s*[=:]\s*(?:Bearer\s+)?$/i.exec(near)?.[1]
}

const longestKey = 200

/** `${KEY:-sk-…}` has a variable already. */
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
