/** Notes below the lines they are about. The text that a note is about is underlined. */
import { type Range, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { EditorNote } from './editor-props.ts'

export const setNotes = StateEffect.define<readonly EditorNote[]>()

export const notesBelowLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setNotes))
    return set ? decorationsIn(newDoc, set.value) : before.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function decorationsIn(doc: Text, notes: readonly EditorNote[]): DecorationSet {
  const ranges = notes.flatMap((note): readonly Range<Decoration>[] => {
    const { from, to, text } = doc.line(Math.min(note.line, doc.lines))
    const underlined = rangeOf(text, note)
    const below = Decoration.widget({ widget: new NoteWidget(note), block: true, side: 1 }).range(to)
    const line = Decoration.line({ class: `ed-${note.is}` }).range(from)
    if (underlined.start === underlined.end) return [line, below]
    const mark = Decoration.mark({ class: 'ed-underlined' })
    return [line, mark.range(from + underlined.start, from + underlined.end), below]
  })
  return Decoration.set(ranges, true)
}

function rangeOf(line: string, { text }: EditorNote): { readonly start: number; readonly end: number } {
  const at = text === undefined ? -1 : line.indexOf(text)
  if (text !== undefined && at >= 0) return { start: at, end: at + text.length }
  return { start: line.length - line.trimStart().length, end: line.trimEnd().length }
}

class NoteWidget extends WidgetType {
  readonly note: EditorNote

  constructor(note: EditorNote) {
    super()
    this.note = note
  }

  override eq({ note }: NoteWidget): boolean {
    return JSON.stringify(note) === JSON.stringify(this.note)
  }

  override toDOM(view: EditorView): HTMLElement {
    const { is, message, suggestion } = this.note
    // CodeMirror does not see the margins of a note, so its place has padding.
    const place = document.createElement('div')
    place.className = 'ed-note-place'
    const note = document.createElement('div')
    note.className = `ed-note ed-note-${is}`
    const words = document.createElement('span')
    words.textContent = message
    note.append(words)
    place.append(note)
    if (suggestion !== undefined) words.append(' Did you mean ', this.#fix(view, place, suggestion), '?')
    return place
  }

  #fix(view: EditorView, place: HTMLElement, suggestion: string): HTMLElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'link'
    button.textContent = suggestion
    button.addEventListener('click', () => {
      const line = view.state.doc.lineAt(view.posAtDOM(place))
      const { start, end } = rangeOf(line.text, this.note)
      view.dispatch({ changes: { from: line.from + start, to: line.from + end, insert: suggestion } })
      view.focus()
    })
    return button
  }

  /** The editor leaves clicks in a note alone. */
  override ignoreEvent(): boolean {
    return true
  }
}
