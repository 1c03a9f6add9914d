/** Numbers beside the lines where numbered parts begin. They move with the text until new ones come. */
import { RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state'
import { type BlockInfo, type EditorView, GutterMarker, gutter } from '@codemirror/view'
import type { LineNumber } from './editor.tsx'

export const setNumbers = StateEffect.define<readonly LineNumber[]>()

class NumberMarker extends GutterMarker {
  readonly shown: LineNumber

  constructor(shown: LineNumber) {
    super()
    this.shown = shown
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof NumberMarker && other.shown.number === this.shown.number
  }

  override toDOM(): Node {
    const place = document.createElement('span')
    place.textContent = String(this.shown.number)
    place.title = this.shown.title
    return place
  }
}

const numbers = StateField.define<RangeSet<NumberMarker>>({
  create: () => RangeSet.empty,
  update(before, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setNumbers))
    return set ? markersIn(newDoc, set.value as readonly LineNumber[]) : before.map(changes)
  },
})

export const marginNumbers = [
  numbers,
  gutter({
    class: 'ed-numbers',
    markers: (view: EditorView) => view.state.field(numbers),
    lineMarker: (_view: EditorView, _line: BlockInfo) => null,
  }),
]

function markersIn(doc: Text, all: readonly LineNumber[]): RangeSet<NumberMarker> {
  const builder = new RangeSetBuilder<NumberMarker>()
  for (const each of all.toSorted((one, other) => one.line - other.line)) {
    if (each.line > doc.lines) continue
    const { from } = doc.line(each.line)
    builder.add(from, from, new NumberMarker(each))
  }
  return builder.finish()
}
