/** Whether a command line is that of a shell that reads what somebody types. */

const shells = new Set(
  'sh ash bash csh dash elvish fish ksh ksh93 mksh nu oksh osh pwsh rbash tcsh yash zsh'.split(' '),
)

/** Of these options the next word is the value, and no script. */
const withValue = /^([-+][oO]|-C|--rcfile|--init-file|--init-command|--config|--env-config)$/

/** `-c`, also among others as in `-lc`, and the long forms of fish, nu and pwsh. */
const runsLine = /^(-[a-z]*c|--commands?(=.*)?)$/

export function isInteractiveShell([program = '', ...args]: readonly string[]): boolean {
  // A login shell has a dash before its name.
  if (!shells.has(program.slice(program.lastIndexOf('/') + 1).replace(/^-/, ''))) return false
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!
    if (runsLine.test(word)) return false
    // All that follows is for the one who types.
    if (word === '-s') return true
    if (withValue.test(word)) index++
    else if (!/^[-+]/.test(word)) return false
  }
  return true
}
