/**
 * An editor for YAML and JSON: colours, completion, notes below the lines they are about, numbers in the margin, and
 * marks on the lines that differ from the saved text. CodeMirror is loaded when the first editor is shown.
 */
import { Suspense, lazy } from 'react'
import type { EditorProps } from './editor-props.ts'

export type { EditorNote } from './editor-props.ts'

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }))

export function Editor(props: EditorProps) {
  return (
    <Suspense fallback={<div className="ed" />}>
      <CodeEditor {...props} />
    </Suspense>
  )
}
