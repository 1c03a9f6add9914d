/** Links that open a file in an editor on the same machine. The browser remembers which editor. */
import { createStore, useStore } from '../hub/store.ts'

export const editors = {
  vscode: 'VS Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  zed: 'Zed',
  none: 'No editor',
} as const
export type Editor = keyof typeof editors

const storageKey = 'signalbox-editor'
const chosen = createStore<Editor>(read())

function read(): Editor {
  const kept = localStorage.getItem(storageKey) ?? ''
  return kept in editors ? (kept as Editor) : 'vscode'
}

export function useEditor(): Editor {
  return useStore(chosen)
}

export function chooseEditor(editor: Editor): void {
  localStorage.setItem(storageKey, editor)
  chosen.set(editor)
}

/** `undefined`: the person has none. */
export function editorLink(editor: Editor, file: string, line = 1): string | undefined {
  if (editor === 'none') return undefined
  return `${editor}://file${file.split('/').map(encodeURIComponent).join('/')}:${line}`
}
