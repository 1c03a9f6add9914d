/** Finds citations in a text: `path:start-end`, `path:line` and `path#Lstart-Lend`, with what stands beside them. */

export interface CitedPlace {
  /** Where it stands in the text. */
  readonly from: number
  readonly to: number
  /** The path as the text writes it. */
  readonly path: string
  readonly start: number
  readonly end: number
  /** The code or text that the citation is given for: "`decide` (src/gate.ts:10-20)", `src/gate.ts:10-20 "the text"`. */
  readonly quote: string | undefined
}

/** More than an answer has. Each one is looked up. */
const mostPlaces = 300

// A path has no characters that separate words in prose. Brackets are part of it only in pairs, as in `app/[id]/page.tsx`.
const pathPattern = String.raw`(?:[\w@.+~/$%&=-]|\[[\w.-]+\]|\([\w.-]+\)(?=/))+`
const linesPattern = String.raw`(?::L?(?<start>\d{1,7})(?:[-–]L?(?<end>\d{1,7})|:\d{1,5})?|#L(?<hashStart>\d{1,7})(?:-L?(?<hashEnd>\d{1,7}))?)`
// A match begins only where no path can continue, so that a long text without a citation is read once.
const place = new RegExp(String.raw`(?<![\w@.+~/$%&=:[\])-])(?<path>${pathPattern})${linesPattern}(?![\w:])`, 'g')

/** Code between fences is quoted from files, and its colons and numbers mean something else. */
const fence = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm

export function citedPlaces(text: string): readonly CitedPlace[] {
  const fences = [...text.matchAll(fence)].map(({ index, 0: whole }) => [index, index + whole.length] as const)
  const found: CitedPlace[] = []
  for (const match of text.matchAll(place)) {
    const { index: from } = match
    if (fences.some(([begin, end]) => from >= begin && from < end)) continue
    const { path = '', start, end, hashStart, hashEnd } = match.groups ?? {}
    // The address of a web page, or a host with a port.
    if (text.slice(0, from).endsWith('://') || path.startsWith('//') || !/[A-Za-z]/.test(path)) continue
    const first = Number(start ?? hashStart)
    const to = from + match[0].length
    found.push({
      from,
      to,
      path,
      start: first,
      end: Number(end ?? hashEnd ?? first),
      quote: quoteAfter(text, to) ?? codeBefore(text, from),
    })
    if (found.length === mostPlaces) break
  }
  return found
}

/** `src/gate.ts:10-20 "the text"` or `src/gate.ts:10-20 (`decide`)`. */
function quoteAfter(text: string, to: number): string | undefined {
  const rest = text.slice(to, to + 400)
  const quoted = /^`?[ \t]*(?:[:,–—-][ \t]*)?["“]([^"”\n]{3,200})["”]/.exec(rest)?.[1]
  return quoted ?? codeIn(/^`?[ \t]*\(?`([^`\n]{1,200})`/.exec(rest)?.[1])
}

/** "`decide` (src/gate.ts:10-20)", "`decide` in `src/gate.ts:10-20`". */
function codeBefore(text: string, from: number): string | undefined {
  const before = text.slice(Math.max(0, from - 240), from)
  return codeIn(/`([^`\n]{1,200})`[ \t]*(?:(?:is |are )?(?:in|at|from)[ \t]+)?[([]?`?$/.exec(before)?.[1])
}

const literals = new Set(['undefined', 'null', 'true', 'false', 'this', 'self', 'None', 'nil'])

/** Only a name can be looked for: other code beside a citation may be an example or a value. */
function codeIn(code: string | undefined): string | undefined {
  const name = code?.replace(/\(.*\)$/, '')
  if (name === undefined || !/^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*$/.test(name)) return undefined
  return name.length < 3 || literals.has(name) ? undefined : name
}
