/** A list as one line: words between spaces, with quotes around those that have spaces of their own. */
export function toWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) => unquoted(word))
}

export function fromWords(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`)).join(' ')
}

function unquoted(word: string): string {
  return word.replaceAll(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
    (_, double?: string, single?: string, escaped?: string) =>
      double !== undefined ? double.replaceAll(/\\(.)/g, '$1') : (single ?? escaped ?? ''),
  )
}
