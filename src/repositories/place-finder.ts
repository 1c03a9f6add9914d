/** Finds the place that a citation means: the file by its path, and the lines by what they are cited for. */
import type { CitedPlace } from './cited-places.ts'
import type { IndexedContent } from './repository.ts'
import { isInnerPath } from './read-lines.ts'

export interface RightPlace {
  readonly is: 'kept' | 'repaired'
  readonly path: string
  readonly start: number
  readonly end: number
  readonly symbol: string | undefined
  /** All lines of the file. */
  readonly lines: readonly string[]
}

export type FoundPlace =
  | RightPlace
  | { readonly is: 'dropped' }
  /** It only looks like a citation, such as a host with a port. */
  | { readonly is: 'text' }

interface IndexedFile {
  readonly path: string
  readonly lines: readonly string[]
}

/** A definition that is longer is cited by its beginning. */
const mostRepairedLines = 60

export function createPlaceFinder(content: IndexedContent): (place: CitedPlace) => Promise<FoundPlace> {
  const files = new Map<string, Promise<IndexedFile | undefined>>()

  function fileAt(path: string): Promise<IndexedFile | undefined> {
    const known = files.get(path) ?? load(path)
    files.set(path, known)
    return known
  }

  async function load(path: string): Promise<IndexedFile | undefined> {
    const file = isInnerPath(path) ? await content.read(path) : undefined
    // A final line break does not begin another line.
    return file && { path, lines: file.text.split('\n').slice(0, file.total_lines) }
  }

  async function findFile(written: string): Promise<{ file: IndexedFile; isRight: boolean } | undefined> {
    const spellings = innerPaths(written, content)
    for (const path of spellings) {
      const file = await fileAt(path)
      if (file) return { file, isRight: true }
    }
    for (const path of spellings.filter((each) => !hasGlob(each))) {
      const [only, ...others] = await content.list(`**/${path}`, 2)
      const file = only === undefined || others.length > 0 ? undefined : await fileAt(only)
      if (file) return { file, isRight: false }
    }
    return undefined
  }

  /** A path that the index does not have is a wrong citation only if it looks like a path of this repository. */
  async function looksLikePath(written: string): Promise<boolean> {
    if (hasGlob(written)) return written.includes('/')
    const extension = /\.[A-Za-z]\w*$/.exec(written)?.[0]
    if (extension !== undefined && (written.includes('/') || (await has(`**/*${extension}`)))) return true
    const [folder, ...rest] = written.split('/')
    return rest.length > 0 && folder !== '' && (await has(`${folder}/**`))
  }

  async function has(glob: string): Promise<boolean> {
    return (await content.list(glob, 1)).length > 0
  }

  return async ({ path: written, start: first, end: last, quote }) => {
    const found = await findFile(written)
    if (!found) return { is: (await looksLikePath(written)) ? 'dropped' : 'text' }
    const { file, isRight } = found
    const [start, end] = first <= last ? [first, last] : [last, first]
    const total = file.lines.length
    const hasLines = start >= 1 && start <= total
    const within = { start, end: Math.min(end, total) }
    const isSame = isRight && first <= last && end <= total
    const symbol = quote !== undefined && isName(quote) ? quote : undefined
    const at = (range: Range, is: 'kept' | 'repaired') => ({ is, path: file.path, ...range, symbol, lines: file.lines })
    if (hasLines && (quote === undefined || holds(file.lines, within, quote)))
      return at(within, isSame ? 'kept' : 'repaired')
    const moved = quote === undefined ? undefined : await findQuote(file, quote, within)
    return moved ? at(moved, 'repaired') : { is: 'dropped' }
  }

  /** Where the file says it: the definition of a symbol, or the nearest lines with the text. */
  async function findQuote(file: IndexedFile, quote: string, near: Range): Promise<Range | undefined> {
    const length = Math.min(near.end - near.start, mostRepairedLines - 1)
    if (isName(quote)) {
      const hits = await content.search({ query: lastName(quote), mode: 'symbol', path: file.path, limit: 5 })
      for (const { path, start_line: from, end_line: to } of hits) {
        const start = path === file.path ? lineWith(file.lines, { start: from, end: to }, quote) : undefined
        if (start !== undefined) return { start, end: Math.min(to, start + mostRepairedLines - 1, file.lines.length) }
      }
    }
    const places = file.lines.flatMap((_, index) => {
      const start = index + 1
      const end = Math.min(start + Math.max(length, 0), file.lines.length)
      return holds(file.lines, { start, end: start }, quote) ? [{ start, end }] : []
    })
    return places.toSorted((one, other) => Math.abs(one.start - near.start) - Math.abs(other.start - near.start))[0]
  }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** As models write paths: with "./" or "/" before them, with the root, or with the name of the repository. */
function innerPaths(written: string, { repository, hostPathOf }: IndexedContent): readonly string[] {
  const roots = ['', repository.path, hostPathOf(''), repository.name].filter((root) => written.startsWith(root))
  const paths = roots.map((root) => written.slice(root.length).replace(/^(?:\.?\/)+/, ''))
  return [...new Set(paths)].filter(isInnerPath)
}

function hasGlob(path: string): boolean {
  return /[*?[\]{}\\!]/.test(path)
}

function isName(quote: string): boolean {
  return /^[\w$.:#>-]+$/.test(quote)
}

/** For `Session.start`, the file contains only `start`. */
function lastName(quote: string): string {
  return quote.split(/\.|::|#|->/).at(-1) ?? quote
}

function lineWith(lines: readonly string[], { start, end }: Range, quote: string): number | undefined {
  for (let line = start; line <= Math.min(end, lines.length); line++)
    if (holds(lines, { start: line, end: line }, quote)) return line
  return undefined
}

function holds(lines: readonly string[], { start, end }: Range, quote: string): boolean {
  const text = plain(lines.slice(start - 1, end).join('\n'))
  const name = isName(quote) ? lastName(quote) : undefined
  if (name === undefined) return text.includes(plain(quote))
  return new RegExp(`(?<![\\w$])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w$])`).test(text)
}

/** Line breaks and indentation differ between a file and a quotation of it. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
