/** Turns the words of a command into one shell line. A single word is a shell line already. */
export function toShellLine(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : words.map(quoted).join(' ')
}

export function quoted(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
