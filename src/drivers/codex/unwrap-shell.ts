/**
 * Codex runs each command in a login shell, and reports `/bin/bash -lc '…'` in POSIX quoting. A rule of the policy is
 * about the command itself. The model chooses the shell and could call its own program `bash`, so only shells in the
 * folders of the system count.
 */
export function unwrapShell(command: string): string {
  const wrapped = shell.exec(command)?.[1]
  return (wrapped !== undefined && onlyWord(wrapped)) || command
}

const folders = '/(?:usr/(?:local/)?)?bin/|/opt/(?:homebrew|local)/bin/|/run/current-system/sw/bin/'
const shell = new RegExp(`^(?:${folders})?(?:bash|zsh|sh|dash) -l?c (.+)$`, 's')

/** `undefined`: the text is not exactly one word. */
function onlyWord(text: string): string | undefined {
  let word = ''
  for (let rest = text; rest !== '';) {
    const [whole, single, double, escaped, plain] = part.exec(rest) ?? []
    if (whole === undefined) return undefined
    word += single ?? double?.replaceAll(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? ''
    rest = rest.slice(whole.length)
  }
  return word
}

const part = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+))/s
