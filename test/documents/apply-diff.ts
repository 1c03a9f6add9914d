/** Applies a diff as pages show it: without line numbers, and with context that must match in exactly one place. */
export function applyDiff(source: string, diff: string, path: string): string {
  const lines = diff.trimEnd().split('\n')
  const before = sideOf(lines, '-')
  const after = sideOf(lines, '+')
  const places = source.split(before).length - 1
  if (places !== 1)
    throw new Error(`The page changes ${path} at this text, which occurs ${places} times in it:\n${before}`)
  return source.replace(before, () => after)
}

/** The text on one side of the change: the common lines and its own. */
function sideOf(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .filter((line) => line.startsWith(sign) || line.startsWith(' '))
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}
