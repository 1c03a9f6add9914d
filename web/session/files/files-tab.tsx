/** The workspace: what the agent changed since the branch point, and all files. */
import { useEffect, useState } from 'react'
import type { Session } from '../../../src/api/session.ts'
import type { FilePlace } from '../open-file.ts'
import { type Editor, chooseEditor, editors, useEditor } from '../../parts/editors.ts'
import { ChangesView } from './changes-view.tsx'
import { FileTree } from './file-tree.tsx'
import { FileView } from './file-view.tsx'
import { useChanges } from './use-changes.ts'

export interface FilesTabProps {
  readonly session: Session
  /** Shown first, and again when another one comes. */
  readonly place: FilePlace | undefined
}

type View = 'changes' | 'all'

export default function FilesTab({ session, place }: FilesTabProps) {
  const { value: changes, refused, refresh } = useChanges(session)
  const [view, setView] = useState<View>('changes')
  const [isBeside, setIsBeside] = useState(false)
  const [file, setFile] = useState(place)
  useEffect(() => setFile(place), [place])
  const editor = useEditor()

  if (file) return <FileView key={file.path} session={session} place={file} onBack={() => setFile(undefined)} />
  const count = changes && changes.files.length + (changes.more_files ?? 0)
  return (
    <>
      <div className="tab-bar">
        <span className="seg sm" role="group" aria-label="Which files">
          <button aria-pressed={view === 'changes'} onClick={() => setView('changes')}>
            Changes <span className="count">{count}</span>
          </button>
          <button aria-pressed={view === 'all'} onClick={() => setView('all')}>
            All files
          </button>
        </span>
        <span className="grow" />
        {view === 'changes' && (
          <span className="seg sm desk-only" role="group" aria-label="Diff">
            <button aria-pressed={!isBeside} onClick={() => setIsBeside(false)}>
              Unified
            </button>
            <button aria-pressed={isBeside} onClick={() => setIsBeside(true)}>
              Side by side
            </button>
          </span>
        )}
        <label className="input soft editor-choice desk-only">
          <span className="sr">Editor</span>
          <select value={editor} onChange={(event) => chooseEditor(event.target.value as Editor)}>
            {Object.entries(editors).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      {view === 'all' ? (
        <FileTree session={session} onOpen={(path) => setFile({ path })} />
      ) : (
        <ChangesView
          session={session}
          changes={changes}
          refused={refused}
          isBeside={isBeside}
          onOpen={(path) => setFile({ path })}
          onDiscarded={refresh}
        />
      )}
    </>
  )
}
