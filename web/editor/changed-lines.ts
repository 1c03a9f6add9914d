/** Marks the lines that differ from the saved text, and where lines of it are gone. */
import { diffArrays } from 'diff'
import { type Extension, RangeSet, RangeSetBuilder, StateField, type Text } from '@codemirror/state'
import { Decoration, EditorView, GutterMarker, gutterLineClass } from '@codemirror/view'

/** Longer texts are not compared on each key. */
const mostLines = 5_000

export function changedLines(saved: string | undefined): Extension {
  if (saved === undefined) return []
  const before = linesOf(saved)
  return StateField.define<Marks>({
    create: ({ doc }) => marksBetween(before, doc),
    update: (marks, { docChanged, newDoc }) => (docChanged ? marksBetween(before, newDoc) : marks),
    provide: (field) => [
      EditorView.decorations.from(field, ({ lines }) => lines),
      gutterLineClass.from(field, ({ margin }) => margin),
    ],
  })
}

interface Marks {
  readonly lines: RangeSet<Decoration>
  readonly margin: RangeSet<GutterMarker>
}

class LineClass extends GutterMarker {
  override readonly elementClass: string

  constructor(elementClass: string) {
    super()
    this.elementClass = elementClass
  }
}

const kinds = {
  added: { line: Decoration.line({ class: 'ed-added' }), margin: new LineClass('ed-added') },
  gone: { line: Decoration.line({ class: 'ed-gone' }), margin: new LineClass('ed-gone') },
}

function marksBetween(before: readonly string[], doc: Text): Marks {
  const lines = new RangeSetBuilder<Decoration>()
  const margin = new RangeSetBuilder<GutterMarker>()
  if (before.length + doc.lines > mostLines) return { lines: lines.finish(), margin: margin.finish() }
  for (const { line, kind } of changesBetween(before, linesOf(doc.toString()))) {
    const { from } = doc.line(Math.min(line, doc.lines))
    lines.add(from, from, kinds[kind].line)
    margin.add(from, from, kinds[kind].margin)
  }
  return { lines: lines.finish(), margin: margin.finish() }
}

interface ChangedLine {
  readonly line: number
  readonly kind: keyof typeof kinds
}

function changesBetween(before: readonly string[], after: readonly string[]): readonly ChangedLine[] {
  const changes: ChangedLine[] = []
  let line = 1
  const parts = diffArrays([...before], [...after])
  for (const [index, { added, removed, value }] of parts.entries()) {
    // Lines that were replaced are marked as added. Only those that are gone without a successor are marked below.
    if (removed) {
      if (!parts[index + 1]?.added) changes.push({ line, kind: 'gone' })
      continue
    }
    if (added) changes.push(...value.map((_, offset) => ({ line: line + offset, kind: 'added' as const })))
    line += value.length
  }
  return changes
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/)
}
