/** Quotes commands for tmux and for the shell, so that every byte arrives unchanged. */

/** A word of a tmux command line. Characters that may be special to tmux are written as octal numbers. */
export function tmuxWord(text: string): string {
  const escaped = [...Buffer.from(text)].map((byte) => {
    const letter = String.fromCharCode(byte)
    return /[\w ./:=@%,+-]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, '0')}`
  })
  return `"${escaped.join('')}"`
}

/** A command as a line of a command file. */
export function tmuxLine(words: readonly string[]): string {
  return words.map(tmuxWord).join(' ')
}

/** For places in which tmux expands `#{…}`. */
export function tmuxLiteral(text: string): string {
  return text.replaceAll('#', '##')
}

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
