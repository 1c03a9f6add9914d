/** The editor, built on CodeMirror. */
import { useEffect, useRef } from 'react'
import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { indentOnInput, indentUnit } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { pageNonce } from '../app/allow-styles.ts'
import { changedLines } from './changed-lines.ts'
import { colours } from './colours.ts'
import { completionSource } from './completion-source.ts'
import type { EditorProps } from './editor-props.ts'
import { marginNumbers, setNumbers } from './margin-numbers.ts'
import { notesBelowLines, setNotes } from './notes.ts'
import { look } from './look.ts'
import './editor.css'

export function CodeEditor(props: EditorProps) {
  const { value, readOnly = false, saved, notes = none, numbers = none } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  latest.current = props
  const parts = useRef({ saved: new Compartment(), readOnly: new Compartment() })

  useEffect(() => {
    const { saved: savedPart, readOnly: readOnlyPart } = parts.current
    const made = new EditorView({
      parent: place.current!,
      doc: latest.current.value,
      extensions: [
        fixedExtensions(latest.current, () => latest.current),
        savedPart.of(changedLines(latest.current.saved)),
        readOnlyPart.of(EditorState.readOnly.of(latest.current.readOnly ?? false)),
      ],
    })
    view.current = made
    return () => made.destroy()
  }, [])

  useEffect(() => {
    const shown = view.current!
    if (shown.state.doc.toString() === value) return
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    view.current!.dispatch({ effects: parts.current.saved.reconfigure(changedLines(saved)) })
  }, [saved])
  useEffect(() => {
    view.current!.dispatch({ effects: parts.current.readOnly.reconfigure(EditorState.readOnly.of(readOnly)) })
  }, [readOnly])
  useEffect(() => view.current!.dispatch({ effects: setNotes.of(notes) }), [notes])
  useEffect(() => view.current!.dispatch({ effects: setNumbers.of(numbers) }), [numbers])

  return <div className="ed" ref={place} />
}

const none: readonly never[] = []

/** The page saves and runs with these keys. */
const keysOfPage = new Set(['Mod-Enter', 'Mod-s'])
const keys = [...completionKeymap, ...defaultKeymap, ...historyKeymap].filter(({ key = '' }) => !keysOfPage.has(key))

/** `Tab` moves the focus on, as everywhere on the page. */
function fixedExtensions({ language, label, keywords = [] }: EditorProps, latest: () => EditorProps): Extension {
  return [
    EditorView.cspNonce.of(pageNonce),
    look,
    language === 'yaml' ? yaml() : json(),
    colours(new Set(keywords)),
    lineNumbers(),
    marginNumbers,
    notesBelowLines,
    history(),
    indentUnit.of('  '),
    indentOnInput(),
    autocompletion({ override: [completionSource((before) => latest().complete?.(before))], icons: false }),
    keymap.of(keys),
    EditorView.contentAttributes.of({ 'aria-label': label, 'data-gramm': 'false', tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      const text = state.doc.toString()
      if (docChanged && text !== latest().value) latest().onChange?.(text)
    }),
  ]
}
