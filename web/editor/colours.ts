/** Colours of YAML and JSON, with the classes that all code on the page has. */
import { syntaxTree } from '@codemirror/language'
import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const key = Decoration.mark({ class: 'y-k' })
const string = Decoration.mark({ class: 'y-s' })
const constant = Decoration.mark({ class: 'y-n' })
const quiet = Decoration.mark({ class: 'y-p' })

const byNode: Readonly<Record<string, Decoration>> = {
  Comment: quiet,
  '-': quiet,
  QuotedLiteral: string,
  BlockLiteralContent: string,
  PropertyName: key,
  String: string,
  Number: constant,
  True: constant,
  False: constant,
  Null: constant,
}

export function colours(keywords: ReadonlySet<string>): Extension {
  return ViewPlugin.define((view) => createColours(view, keywords), { decorations: ({ decorations }) => decorations })
}

function createColours(view: EditorView, keywords: ReadonlySet<string>) {
  let decorations = decorate(view, keywords)
  return {
    get decorations() {
      return decorations
    },
    update({ docChanged, viewportChanged, startState, state, view: shown }: ViewUpdate) {
      const isParsed = syntaxTree(startState) !== syntaxTree(state)
      if (docChanged || viewportChanged || isParsed) decorations = decorate(shown, keywords)
    },
  }
}

function decorate({ state, visibleRanges }: EditorView, keywords: ReadonlySet<string>): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter({ name, node, from: start, to: end }) {
        if (node.parent?.name === 'Key') return void builder.add(start, end, key)
        const colour = name === 'Literal' ? wordColour(state.sliceDoc(start, end), keywords) : byNode[name]
        if (colour) builder.add(start, end, colour)
        return undefined
      },
    })
  }
  return builder.finish()
}

/** A sentence is plain text; one word is a name, a number or a choice. */
function wordColour(text: string, keywords: ReadonlySet<string>): Decoration | undefined {
  if (keywords.has(text) || /^(true|false|null|~|-?\d+(\.\d+)?)$/.test(text)) return constant
  return /\s/.test(text) ? undefined : string
}
