/** A command line as a person gave it, as one line for the shell. One word is such a line already. */
export function toShellLine(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
