/** The changes between two texts, line by line, as `diff -u` shows them. */
import type { StructuredPatchHunk } from 'diff'
import { structuredPatch } from 'diff'

/** The comparison takes time with the square of the differing lines. Above this, the new text replaces the old one. */
const maxEditLength = 2_000

/** Empty if nothing changed. */
export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
  maxEdits = maxEditLength,
): string {
  const [old, fresh] = [withLastNewline(before), withLastNewline(after)]
  if (old === fresh) return ''
  const hunks = hunksBetween(old, fresh, maxEdits) ?? [replaceAll(linesOf(old), linesOf(fresh))]
  return [`--- ${names.before}`, `+++ ${names.after}`, ...hunks.flatMap(hunkText)].join('\n')
}

/** `undefined`: every line is replaced. */
function hunksBetween(old: string, fresh: string, maxEdits: number): readonly StructuredPatchHunk[] | undefined {
  if (old === '' || fresh === '') return undefined
  return structuredPatch('', '', old, fresh, undefined, undefined, { context: 3, maxEditLength: maxEdits })?.hunks
}

function withLastNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1)
}

function replaceAll(old: readonly string[], fresh: readonly string[]): StructuredPatchHunk {
  const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)]
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length, lines }
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): readonly string[] {
  // diff names an empty range by the line before it; the package counts it from the line after.
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]
}
