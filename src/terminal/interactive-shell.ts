/** Recognizes the command line of a shell that reads typed commands. */

const shells = new Set(
  'sh ash bash csh dash elvish fish ksh ksh93 mksh nu oksh osh pwsh rbash tcsh yash zsh'.split(' '),
)

/** The next word is the value of these options, not a script. */
const withValue = /^([-+][oO]|-C|--rcfile|--init-file|--init-command|--config|--env-config)$/

/** `-c`, also combined as in `-lc`, and the long forms of fish, nu and pwsh. */
const runsLine = /^(-[a-z]*c|--commands?(=.*)?)$/

export function isInteractiveShell([program = '', ...args]: readonly string[]): boolean {
  // The name of a login shell starts with a dash.
  if (!shells.has(program.slice(program.lastIndexOf('/') + 1).replace(/^-/, ''))) return false
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!
    if (runsLine.test(word)) return false
    // The remaining words are arguments of the interactive shell.
    if (word === '-s') return true
    if (withValue.test(word)) index++
    else if (!/^[-+]/.test(word)) return false
  }
  return true
}
