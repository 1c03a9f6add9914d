/**
 * What stands for something else in a connector: `${VAR}` and `${VAR:-default}` for a variable of the hub, `{workspace}`,
 * `{session_id}` and `{session_name}` for the session. `$${` is a plain `${`; all other braces are left alone.
 *
 * One pass: what was filled in is not looked at again, so no path and no value can smuggle in a reference.
 */

const pattern =
  /\$\$\{|\$\{(?<variable>[A-Za-z_]\w*)(?::-(?<fallback>(?:[^{}]|\{[^{}]*\})*))?\}|\{(?<place>workspace|session_id|session_name)\}/g

export interface VariableReference {
  readonly variable: string
  readonly fallback?: string
}

export type PlaceName = 'workspace' | 'session_id' | 'session_name'
export type Places = Readonly<Record<PlaceName, string>>

/** `variable` may answer with the reference itself, for those who must not see what it stands for. */
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

/** In order, each as often as it stands there. */
export function referencesIn(text: string): readonly FoundReference[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: { length }, index: start, groups }) => {
    const { variable, fallback } = groups ?? {}
    const place = { start, end: start + length }
    return variable === undefined ? [] : [{ variable, ...(fallback !== undefined && { fallback }), ...place }]
  })
}

export function placesIn(text: string): readonly PlaceName[] {
  return [...text.matchAll(pattern)].flatMap(({ groups }) => (groups?.['place'] as PlaceName | undefined) ?? [])
}

/** The same text with a NUL for each character of a reference to a variable. */
export function maskReferences(text: string): string {
  return text.replaceAll(pattern, (written) => (written.startsWith('${') ? '\0'.repeat(written.length) : written))
}
