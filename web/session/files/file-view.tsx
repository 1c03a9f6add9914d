/** One file of the workspace, at a line. */
import { useLayoutEffect, useRef } from 'react'
import type { WorkspaceFile } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { useLive } from '../../hub/hub-context.tsx'
import { editorLink, useEditor } from '../../parts/editors.ts'
import { Icon } from '../../parts/icons.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'
import type { FilePlace } from '../open-file.ts'

export interface FileViewProps {
  readonly session: Session
  readonly place: FilePlace
  onBack(): void
}

/** As in the style sheet. */
const linePx = 18
/** Lines that are read at once. In a longer file, those around the place are read. */
const mostLines = 5_000

export function FileView({ session, place, onBack }: FileViewProps) {
  const path = relativeTo(session.workspace_path, place.path)
  const from = (place.first ?? 1) > mostLines ? Math.max(1, place.first! - mostLines / 2) : 1
  const { value: file, refused } = useLive<WorkspaceFile>(`file:${session.id}:${path}:${from}`, ({ call }) => ({
    uris: [`resource://sessions/${session.id}`],
    everyMs: 3_000,
    read: (signal) =>
      call<WorkspaceFile>('read_file', { session: session.id, path, first_line: from, lines: mostLines }, signal),
  }))
  const link = editorLink(useEditor(), `${session.workspace_path}/${path}`, place.first)
  return (
    <>
      <div className="tab-bar">
        <button className="icon-btn sm" aria-label="Back to the files" onClick={onBack}>
          <Icon name="back" size={14} />
        </button>
        <code className="cut grow">
          <VisibleText text={path} />
        </code>
        {link !== undefined && (
          <a className="btn ghost desk-only" href={link}>
            Open in editor
          </a>
        )}
      </div>
      {refused !== undefined && (
        <p className="t3 p-4" role="status">
          {refused}
        </p>
      )}
      {file?.omitted !== undefined && (
        <p className="t3 p-4">{file.omitted === 'binary' ? 'A binary file.' : 'This file is too large to show.'}</p>
      )}
      {file?.text !== undefined && <FileText file={file} text={file.text} place={place} />}
    </>
  )
}

interface FileTextProps {
  readonly file: WorkspaceFile
  readonly text: string
  readonly place: FilePlace
}

/** Two texts and a band, and not an element for each line: a file may have thousands. */
function FileText({ file, text, place: { first, last = first } }: FileTextProps) {
  const place = useRef<HTMLDivElement>(null)
  const count = text.split('\n').length
  const start = file.first_line
  const isMarked = first !== undefined && last !== undefined && first >= start
  useLayoutEffect(() => {
    if (isMarked) place.current?.scrollTo({ top: (first - start - 4) * linePx })
  }, [isMarked, first, start])
  return (
    <div className="scroll file-text" ref={place} tabIndex={0} role="region" aria-label={file.path}>
      <div className="file-lines">
        {isMarked && (
          <span
            className="file-band"
            aria-hidden="true"
            style={{ top: 8 + (first - start) * linePx, height: (Math.max(last, first) - first + 1) * linePx }}
          />
        )}
        <pre className="file-numbers" aria-hidden="true">
          {Array.from({ length: count }, (_, index) => start + index).join('\n')}
        </pre>
        <pre className="file-code">
          <VisibleText text={text} />
        </pre>
      </div>
      {(file.total_lines ?? 0) > start + count - 1 && (
        <p className="t3 s12 p-2">
          Lines {start} to {start + count - 1} of {file.total_lines}.
        </p>
      )}
    </div>
  )
}

function relativeTo(workspace: string, path: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path.replace(/^\.\//, '')
}
