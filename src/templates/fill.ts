/**
 * What only the session knows, put into what its template says: `{workspace}` and the like. Every other brace stays as
 * it is, since arguments and files are often JSON or TOML themselves, and what was put in is not looked at again.
 */
export type TemplateWords = Readonly<Record<string, string>>

/** Fills every string of the value, keys too: settings that are kept by folder have paths for keys. */
export function fill<Value>(value: Value, words: TemplateWords): Value {
  return fillAny(value, words) as Value
}

function fillAny(value: unknown, words: TemplateWords): unknown {
  if (typeof value === 'string') return fillText(value, words)
  if (Array.isArray(value)) return value.map((item) => fillAny(item, words))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fillText(key, words), fillAny(item, words)]))
}

function fillText(text: string, words: TemplateWords): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => (Object.hasOwn(words, word) ? words[word]! : whole))
}
