/**
 * Fills values of the session, such as `{workspace}`, into its template. All other braces stay, because arguments and
 * files are often JSON or TOML themselves. Filled-in text is not filled again.
 */
export type TemplateWords = Readonly<Record<string, string>>

/** Fills every string of the value and every key, because settings per folder have paths as keys. */
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
