/** Names in rules: `*` stands for any run of characters, `?` for one, everything else for itself. The whole name counts. */

const longestGlob = 256

/** What other programs would read as a pattern would be literal here, and quietly match nothing. */
const foreignSyntax = /[[\]{}()|\\^$!+,\s]/

/** Says what would work; `undefined` where nothing is wrong. */
export function faultOfGlob(pattern: string): string | undefined {
  if (pattern === '') return 'is empty: write a tool such as "github_get_issue", or "*" for every tool'
  if (pattern.length > longestGlob) return `has ${pattern.length} characters; at most ${longestGlob} are taken`
  const foreign = foreignSyntax.exec(pattern)?.[0]
  if (foreign === undefined) return undefined
  return `has "${foreign}" in it, and only * (anything) and ? (one character) are special: write a list of names instead`
}

/** One star is tried at a time and never returned to, so time grows with pattern times name and no faster. */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let afterStar = 0
  while (at < name.length) {
    const wanted = pattern[inPattern]
    if (wanted === '*') {
      star = inPattern++
      afterStar = at
    } else if (wanted === '?') {
      at += widthAt(name, at)
      inPattern++
    } else if (wanted !== undefined && wanted === name[at]) {
      at++
      inPattern++
    } else if (star >= 0) {
      inPattern = star + 1
      at = ++afterStar
    } else {
      return false
    }
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}

/** A character outside the basic plane takes two places. */
function widthAt(name: string, at: number): number {
  return (name.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
