/** Applies a diff as pages show it: no line numbers, a line or two of context, and it must fit in exactly one place. */
export function applyDiff(source: string, diff: string, path: string): string {
  const lines = diff.trimEnd().split('\n')
  const before = sideOf(lines, '-')
  const after = sideOf(lines, '+')
  const places = source.split(before).length - 1
  if (places !== 1)
    throw new Error(`The page wants to change ${path} where it says\n${before}which it says ${places} times.`)
  return source.replace(before, () => after)
}

/** What stands there on one side of the change: the lines both sides have, and its own. */
function sideOf(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .filter((line) => line.startsWith(sign) || line.startsWith(' '))
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}
