/**
 * References in a connector: `${VAR}` and `${VAR:-default}` stand for a variable of the hub, and `{workspace}`,
 * `{session_id}` and `{session_name}` for the session. `$${` is a literal `${`. All other braces stay unchanged.
 *
 * Filling in takes one pass. Inserted text is not examined again, so no path and no value can add a reference.
 */

const pattern =
  /\$\$\{|\$\{(?<variable>[A-Za-z_]\w*)(?::-(?<fallback>(?:[^{}]|\{[^{}]*\})*))?\}|\{(?<place>workspace|session_id|session_name)\}/g

export interface VariableReference {
  readonly variable: string
  readonly fallback?: string
}

export type PlaceName = 'workspace' | 'session_id' | 'session_name'
export type Places = Readonly<Record<PlaceName, string>>

/** `variable` may return the reference itself, if the value must not be shown. */
export function fillIn(
  text: string,
  places: Readonly<Record<PlaceName, string>>,
  variable: (reference: VariableReference, written: string) => string,
): string {
  return text.replaceAll(pattern, (written, ...rest) => {
    const found = rest.at(-1) as Partial<Record<'variable' | 'fallback', string>> & { readonly place?: PlaceName }
    if (found.place !== undefined) return places[found.place]
    if (found.variable === undefined) return '${'
    return variable(
      { variable: found.variable, ...(found.fallback !== undefined && { fallback: found.fallback }) },
      written,
    )
  })
}

export interface FoundReference extends VariableReference {
  readonly start: number
  readonly end: number
}

/** In order, with repetitions. */
export function referencesIn(text: string): readonly FoundReference[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: { length }, index: start, groups }) => {
    const { variable, fallback } = groups ?? {}
    const place = { start, end: start + length }
    return variable === undefined ? [] : [{ variable, ...(fallback !== undefined && { fallback }), ...place }]
  })
}

/** All variables that a connector or the overrides of a binding name. */
export function namedVariables(connector: { readonly env_keys?: readonly string[] | undefined }): readonly string[] {
  const references = referencesIn(JSON.stringify(connector))
  return [...(connector.env_keys ?? []), ...references.map(({ variable }) => variable)]
}

export function placesIn(text: string): readonly PlaceName[] {
  return [...text.matchAll(pattern)].flatMap(({ groups }) => (groups?.['place'] as PlaceName | undefined) ?? [])
}

/** Replaces each character of a reference to a variable with NUL. */
export function maskReferences(text: string): string {
  return text.replaceAll(pattern, (written) => (written.startsWith('${') ? '\0'.repeat(written.length) : written))
}
