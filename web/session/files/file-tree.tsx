/** All files of the workspace. A folder is read when it is opened. */
import { useState } from 'react'
import type { WorkspaceEntry } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { useLive } from '../../hub/hub-context.tsx'
import { Icon } from '../../parts/icons.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'

export interface FileTreeProps {
  readonly session: Session
  onOpen(path: string): void
}

export function FileTree({ session, onOpen }: FileTreeProps) {
  return (
    <div className="scroll file-tree" tabIndex={0} role="region" aria-label="Files of the workspace">
      <FolderContent session={session} path="" depth={0} onOpen={onOpen} />
    </div>
  )
}

interface FolderProps extends FileTreeProps {
  readonly path: string
  readonly depth: number
}

interface Listed {
  readonly entries: readonly WorkspaceEntry[]
  readonly more_entries?: number
}

function FolderContent({ session, path, depth, onOpen }: FolderProps) {
  const { value, refused } = useLive<Listed>(`folder:${session.id}:${path}`, ({ call }) => ({
    uris: [`resource://sessions/${session.id}`],
    everyMs: 3_000,
    read: (signal) => call<Listed>('list_files', { session: session.id, path }, signal),
  }))
  if (refused !== undefined) return <p className="t3 p-2">{refused}</p>
  if (value?.entries.length === 0) return <p className="t3 s12 p-2">Empty.</p>
  return (
    <ul>
      {value?.entries.map((entry) => (
        <Entry key={entry.name} session={session} entry={entry} depth={depth} onOpen={onOpen} />
      ))}
      {value?.more_entries !== undefined && <li className="t3 s12 p-2">{value.more_entries} more.</li>}
    </ul>
  )
}

interface EntryProps extends FileTreeProps {
  readonly entry: WorkspaceEntry
  readonly depth: number
}

function Entry({ session, entry, depth, onOpen }: EntryProps) {
  const [isOpen, setIsOpen] = useState(false)
  const indent = { paddingLeft: 16 + depth * 16 }
  const name = (
    <span className="cut">
      <VisibleText text={entry.name} />
    </span>
  )
  switch (entry.kind) {
    case 'folder':
      return (
        <li>
          <button
            className="file-row"
            style={indent}
            data-item
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} size={12} />
            <Icon name="folder" size={14} />
            {name}
          </button>
          {isOpen && <FolderContent session={session} path={entry.path} depth={depth + 1} onOpen={onOpen} />}
        </li>
      )
    case 'file':
      return (
        <li>
          <button className="file-row" style={indent} data-item onClick={() => onOpen(entry.path)}>
            <span className="fold-room" />
            <Icon name="file" size={14} />
            {name}
            <span className="grow" />
            <span className="s12 t3 num nowrap">{sizeText(entry.bytes ?? 0)}</span>
          </button>
        </li>
      )
    case 'link':
    case 'other':
      return (
        <li className="file-row t3" style={indent}>
          <span className="fold-room" />
          <Icon name="file" size={14} />
          {name}
          <span className="grow" />
          <span className="s12">{entry.kind === 'link' ? 'link' : 'not a file'}</span>
        </li>
      )
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
