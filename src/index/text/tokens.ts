/**
 * Turns code into words for the full-text index. An identifier gives its whole (without separators, so that
 * `getUser`, `get_user` and `GET_USER` are one word) and its parts, each without its ending.
 */

/** Splits text into words that are separated by blanks. The built-in tokenizer of SQLite only splits at these. */
export function indexText(text: string): string {
  let words = ''
  for (const [identifier] of text.matchAll(identifiers)) words += wordsOf(identifier)
  return words
}

/** The words of a question, each once, in order. */
export function queryWords(text: string): readonly string[] {
  const words = [...new Set(allWords(text))]
  const telling = words.filter((word) => !stopWords.has(word))
  return telling.length > 0 ? telling : words
}

/**
 * Two telling words of a question that follow each other, or have one small word between them. Code that has them side by
 * side is more likely meant: `definition for rule` is in a message, the three words alone are everywhere.
 */
export function queryPhrases(text: string): readonly string[] {
  const words = allWords(text)
  const isTelling = (word: string | undefined) => word !== undefined && !stopWords.has(word)
  const phrases = words.flatMap((word, index) => {
    if (!isTelling(word)) return []
    const end = [index + 1, index + 2].find((each) => isTelling(words[each]))
    return end === undefined ? [] : [words.slice(index, end + 1).join(' ')]
  })
  return [...new Set(phrases)]
}

function allWords(text: string): readonly string[] {
  return indexText(text).split(' ').filter(Boolean)
}

/** The parts of an identifier in lower case, with their endings: `HTTPServer2` gives `http`, `server`, `2`. */
export function partsOf(identifier: string): readonly string[] {
  return (identifier.match(parts) ?? []).map((part) => part.toLowerCase())
}

/** Longer runs of letters are data, such as base64. */
const maxIdentifierLength = 80
const identifiers = /[\p{L}\p{N}_$]+/gu
/** Capitals before a word (`HTTP` in `HTTPServer`), a word, capitals, digits, or letters without case. */
const parts = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|[\p{Lo}\p{Lm}]+/gu

/** A cache, because identifiers repeat and splitting them takes most of the time. */
const known = new Map<string, string>()
const maxKnown = 30_000

function wordsOf(identifier: string): string {
  const cached = known.get(identifier)
  if (cached !== undefined) return cached
  const words = split(identifier)
  if (known.size >= maxKnown) known.clear()
  known.set(identifier, words)
  return words
}

function split(identifier: string): string {
  if (identifier.length > maxIdentifierLength) return ''
  const found = partsOf(identifier)
  if (found.length === 0) return ''
  const stems = found.map(stem)
  return found.length === 1 ? `${stems[0]} ` : `${found.join('')} ${stems.join(' ')} `
}

/** Removes the common English endings, so that `indexes`, `indexed` and `indexing` are one word. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word)) return stem(word.slice(0, -1))
  for (const ending of ['ing', 'ed']) {
    const root = word.slice(0, -ending.length)
    if (word.endsWith(ending) && root.length >= 3 && /[aeiouy]/.test(root)) return withoutDoubling(root)
  }
  return word.endsWith('e') && word.length > 4 ? word.slice(0, -1) : word
}

function withoutDoubling(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root.endsWith('e') ? root.slice(0, -1) : root
}

const stopWords: ReadonlySet<string> = new Set(
  `a after again all also an and any are as at be because been before being both but by can could did do does each else
   for from get had happen happens has have here how i if in into is it its itself like made make makes many may me more
   most much my no not of off on once one only or other our out over own same several should show so some such than that
   the their them then there these they thing things this to too until up used uses very was we were what when where
   whether which while who why will with without would you your`
    .split(/\s+/)
    .flatMap((word) => [word, stem(word)]),
)
