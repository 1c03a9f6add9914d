/** What changed between two texts, line by line, as `diff -u` shows it. */
import { diff } from 'node:util'

const contextLines = 3
/** The time it takes grows with the square of what differs: above this, the one text replaces the other. */
const maxCompared = 2_000

type Kind = ' ' | '+' | '-'
interface Line {
  readonly kind: Kind
  readonly text: string
}

/** Empty where nothing changed. */
export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  if (before === after) return ''
  const lines = compare(toLines(before), toLines(after))
  const hunks = hunksOf(lines).map(([start, end]) => hunkText(lines, start, end))
  return [`--- ${names.before}`, `+++ ${names.after}`, ...hunks].join('\n')
}

function toLines(text: string): readonly string[] {
  if (text === '') return []
  return text.replace(/\n$/, '').split('\n')
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head] === after[head]) head++
  let tail = 0
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: ' ', text }) as const)
  return [
    ...same(before.slice(0, head)),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ]
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length + after.length > maxCompared) {
    const all = (kind: Kind, lines: readonly string[]) => lines.map((text) => ({ kind, text }))
    return [...all('-', before), ...all('+', after)]
  }
  const kinds = { 1: '-', 0: ' ', '-1': '+' } as const
  return diff([...before], [...after]).map(([operation, text]) => ({ kind: kinds[operation], text }))
}

/** From where to where, each with the lines around what changed; neighbours that touch are one. */
function hunksOf(lines: readonly Line[]): readonly (readonly [start: number, end: number])[] {
  const hunks: [number, number][] = []
  for (const [index, { kind }] of lines.entries()) {
    if (kind === ' ') continue
    const [start, end] = [Math.max(0, index - contextLines), Math.min(lines.length, index + contextLines + 1)]
    const last = hunks.at(-1)
    if (last && start <= last[1]) last[1] = end
    else hunks.push([start, end])
  }
  return hunks
}

function hunkText(lines: readonly Line[], start: number, end: number): string {
  const shown = lines.slice(start, end)
  const range = (without: Kind) => {
    const skipped = lines.slice(0, start).filter(({ kind }) => kind !== without).length
    const count = shown.filter(({ kind }) => kind !== without).length
    // As diff has it: an empty range is named by the line before it.
    return `${count === 0 ? skipped : skipped + 1},${count}`
  }
  return [`@@ -${range('+')} +${range('-')} @@`, ...shown.map(({ kind, text }) => kind + text)].join('\n')
}
