/** Names in rules: `*` matches any run of characters, `?` matches one. The pattern must match the whole name. */

const longestGlob = 256

/** Pattern syntax of other programs. Here it would be literal and silently match nothing. */
const foreignSyntax = /[[\]{}()|\\^$!+,\s]/

/** Describes the mistake and what would work; `undefined` if the pattern is valid. */
export function faultOfGlob(pattern: string): string | undefined {
  if (pattern === '') return 'is empty. Write a tool such as "github_get_issue", or "*" for every tool'
  if (pattern.length > longestGlob) return `has ${pattern.length} characters; at most ${longestGlob} are allowed`
  const foreign = foreignSyntax.exec(pattern)?.[0]
  if (foreign === undefined) return undefined
  return `contains "${foreign}", but only * (anything) and ? (one character) are special. Write a list of names instead`
}

/** Never goes back to an earlier star, so the time is at most proportional to pattern length times name length. */
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

/** A character outside the basic plane takes two UTF-16 units. */
function widthAt(name: string, at: number): number {
  return (name.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
