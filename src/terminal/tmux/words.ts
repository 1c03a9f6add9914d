/** Writing commands for tmux and for the shell, so that every byte arrives as it is. */

/** A word of a tmux command line. Whatever could mean something to tmux is written as its number. */
export function tmuxWord(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => {
    const letter = String.fromCharCode(byte)
    return /[\w ./:=@%,+-]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, '0')}`
  })
  return `"${escaped.join('')}"`
}

/** A command, as it stands in a file of commands. */
export function tmuxLine(words: readonly string[]): string {
  return words.map(tmuxWord).join(' ')
}

/** In the places where tmux would fill in `#{…}`. */
export function tmuxLiteral(text: string): string {
  return text.replaceAll('#', '##')
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
