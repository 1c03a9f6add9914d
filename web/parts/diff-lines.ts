/** The lines of a diff: from two texts, or from a unified diff. Lines that replace one another are paired. */
import { type StructuredPatchHunk, parsePatch, structuredPatch } from 'diff'

export interface DiffLine {
  readonly kind: 'same' | 'add' | 'del' | 'hunk'
  readonly before?: number
  readonly after?: number
  readonly text: string
  /** The text of the line that it replaces, or that replaces it. */
  readonly other?: string
}

/** A longer text is shown without its changes. */
const mostCharacters = 200_000

export function linesBetween(before: string, after: string): readonly DiffLine[] {
  if (before.length + after.length > mostCharacters) {
    return [{ kind: 'hunk', text: 'This edit is too long to compare.' }]
  }
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3 })
  return linesOfHunks(hunks)
}

/** The lines of a patch of one file. A patch that cannot be read is shown as it is. */
export function linesOfPatch(patch: string): readonly DiffLine[] {
  const hunks = readHunks(patch)
  if (hunks.length > 0) return linesOfHunks(hunks)
  const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'add', '-': 'del', '@': 'hunk' }
  return patch.split('\n').map((line) => {
    const kind = kinds[line[0] ?? ''] ?? 'same'
    return { kind, text: kind === 'hunk' ? line : line.slice(1) }
  })
}

function readHunks(patch: string): readonly StructuredPatchHunk[] {
  try {
    return parsePatch(patch).flatMap(({ hunks }) => hunks)
  } catch {
    return []
  }
}

export function countLines(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  return {
    added: lines.filter(({ kind }) => kind === 'add').length,
    removed: lines.filter(({ kind }) => kind === 'del').length,
  }
}

function linesOfHunks(hunks: readonly StructuredPatchHunk[]): readonly DiffLine[] {
  return hunks.flatMap((hunk, index) => {
    const lines = withPairs(numbered(hunk))
    return index === 0 && hunk.oldStart <= 1 ? lines : [{ kind: 'hunk', text: `line ${hunk.newStart}` }, ...lines]
  })
}

function numbered({ oldStart, newStart, lines }: StructuredPatchHunk): readonly DiffLine[] {
  let [old, next] = [oldStart, newStart]
  return lines
    .filter((line) => !line.startsWith('\\'))
    .map((line): DiffLine => {
      const text = line.slice(1)
      if (line.startsWith('+')) return { kind: 'add', after: next++, text }
      if (line.startsWith('-')) return { kind: 'del', before: old++, text }
      return { kind: 'same', before: old++, after: next++, text }
    })
}

/** In a larger block, comparing each removed line with each added line takes too long. */
const mostPairs = 400

/** In a block of removed lines that added lines follow, finds the line that each one has become. The order stays. */
function withPairs(lines: readonly DiffLine[]): readonly DiffLine[] {
  const paired = [...lines]
  let at = 0
  while (at < lines.length) {
    const removed = runOf(lines, at, 'del')
    const added = runOf(lines, at + removed, 'add')
    const end = at + removed + added
    if (removed * added <= mostPairs) {
      let from = at + removed
      for (let old = at; old < at + removed; old++) {
        const fresh = mostAlike(lines, old, from, end)
        if (fresh === undefined) continue
        paired[old] = { ...lines[old]!, other: lines[fresh]!.text }
        paired[fresh] = { ...lines[fresh]!, other: lines[old]!.text }
        from = fresh + 1
      }
    }
    at = Math.max(at + 1, end)
  }
  return paired
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let at = from
  while (lines[at]?.kind === kind) at++
  return at - from
}

/** Lines with fewer words in common are two lines, and not one that changed. */
const leastAlike = 0.4

function mostAlike(lines: readonly DiffLine[], old: number, from: number, end: number): number | undefined {
  let best: { readonly at: number; readonly share: number } | undefined
  for (let at = from; at < end; at++) {
    const share = shareOfWords(lines[old]!.text, lines[at]!.text)
    if (share >= leastAlike && share > (best?.share ?? 0)) best = { at, share }
  }
  return best?.at
}

/** Beyond this, the words of a line are not compared. */
const longestLine = 2_000

function shareOfWords(one: string, other: string): number {
  if (one.length + other.length > longestLine) return 0
  const words = new Set(one.match(/\w+/g))
  const others = other.match(/\w+/g) ?? []
  return others.filter((word) => words.has(word)).length / Math.max(words.size, others.length, 1)
}
