/** The changed files with their diffs, how to discard one, and a message for the commit. */
import { useState } from 'react'
import type { Changes, FileChange, Omission } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { showToast } from '../../app/toasts.tsx'
import { useHub, useIsLost } from '../../hub/hub-context.tsx'
import { PatchDiff } from '../../parts/diff.tsx'
import { editorLink, useEditor } from '../../parts/editors.ts'
import { Icon } from '../../parts/icons.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'
import { DiscardDialog } from './discard-dialog.tsx'

export interface ChangesViewProps {
  readonly session: Session
  readonly changes: Changes | undefined
  readonly refused: string | undefined
  readonly isBeside: boolean
  onOpen(path: string): void
  onDiscarded(): void
}

/** With more files than these, only the first is open. */
const fewFiles = 4

export function ChangesView({ session, changes, refused, isBeside, onOpen, onDiscarded }: ChangesViewProps) {
  const [discarding, setDiscarding] = useState<FileChange>()
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  if (!changes) return <p className="t3 p-4">{refused ?? 'Comparing the files…'}</p>
  const { files, reason, more_files: more } = changes
  if (files.length === 0)
    return <p className="t3 p-4">{reason ?? `Nothing has changed since ${sinceWhat(changes)}.`}</p>
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Changes">
      {refused !== undefined && <p className="t3 px-4 pt-2">{refused}</p>}
      <p className="change-sum s12 t2">
        <Icon name="branch" size={12} />
        <span className="cut">
          <VisibleText text={changes.branch ?? 'no branch'} /> since <VisibleText text={sinceWhat(changes)} />
        </span>
        <span className="grow" />
        <Counts change={changes} />
      </p>
      <ul>
        {files.map((file, index) => (
          <li key={file.path} className="change">
            <ChangeRow
              session={session}
              workspace={changes.workspace_path}
              file={file}
              isOpen={(files.length <= fewFiles || index === 0) !== toggled.has(file.path)}
              onToggle={() => setToggled(toggled.symmetricDifference(new Set([file.path])))}
              isBeside={isBeside}
              onOpen={() => onOpen(file.path)}
              onDiscard={() => setDiscarding(file)}
            />
          </li>
        ))}
      </ul>
      {more !== undefined && <p className="t3 px-4 py-2">{more} more files have changed.</p>}
      {changes.suggested_message !== undefined && <CommitMessage text={changes.suggested_message} />}
      {discarding && (
        <DiscardDialog
          session={session}
          file={discarding}
          onClose={() => setDiscarding(undefined)}
          onDiscarded={onDiscarded}
        />
      )}
    </div>
  )
}

function sinceWhat({ base }: Changes): string {
  return base ? `${base.commit.slice(0, 8)} ${base.subject}` : 'the session began'
}

function Counts({ change }: { readonly change: { readonly additions: number; readonly deletions: number } }) {
  return (
    <span className="num nowrap s12">
      <span className="go">+{change.additions}</span> <span className="stop">−{change.deletions}</span>
    </span>
  )
}

interface ChangeRowProps {
  readonly session: Session
  readonly workspace: string
  readonly file: FileChange
  readonly isOpen: boolean
  onToggle(): void
  readonly isBeside: boolean
  onOpen(): void
  onDiscard(): void
}

const statusWords = { added: 'added', modified: 'changed', deleted: 'removed', untracked: 'new' } as const

function ChangeRow({ session, workspace, file, isOpen, onToggle, isBeside, onOpen, onDiscard }: ChangeRowProps) {
  const isLost = useIsLost()
  const link = editorLink(useEditor(), `${workspace}/${file.path}`)
  return (
    <>
      <div className="change-h">
        <button className="change-name" data-item aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
          <code className="cut">
            <VisibleText text={file.path} />
          </code>
          <span className="s12 t3 nowrap">{statusWords[file.status]}</span>
        </button>
        <Counts change={file} />
      </div>
      {isOpen && (
        <div className="change-b">
          <ChangeDiff session={session} file={file} isBeside={isBeside} />
          <div className="row acts">
            {file.status !== 'deleted' && (
              <>
                <button className="btn ghost" onClick={onOpen}>
                  Whole file
                </button>
                {link !== undefined && (
                  <a className="btn ghost desk-only" href={link}>
                    Open in editor
                  </a>
                )}
              </>
            )}
            <span className="grow" />
            <button className="btn ghost danger" disabled={isLost} onClick={onDiscard}>
              Discard…
            </button>
          </div>
        </div>
      )}
    </>
  )
}

const whyOmitted: Readonly<Record<Omission, string>> = {
  binary: 'A binary file.',
  'too-large': 'This file is too large to compare.',
  limit: 'The diff of this file is long.',
  repository: 'A repository of its own.',
  unreadable: 'The hub cannot read this file.',
}

interface ChangeDiffProps {
  readonly session: Session
  readonly file: FileChange
  readonly isBeside: boolean
}

function ChangeDiff({ session, file, isBeside }: ChangeDiffProps) {
  const { call } = useHub()
  const [whole, setWhole] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const patch = file.diff ?? whole
  if (patch !== undefined) {
    return patch === '' ? (
      <p className="t3 s12 p-2">Only its mode has changed.</p>
    ) : (
      <PatchDiff patch={patch} beside={isBeside} />
    )
  }
  const read = async () => {
    try {
      const { files } = await call<Changes>('read_changes', { session: session.id, path: file.path })
      setWhole(files[0]?.diff ?? '')
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <p className="row s12 t3 p-2">
      {failure ?? whyOmitted[file.omitted ?? 'unreadable']}
      {file.omitted === 'limit' && (
        <button className="btn" onClick={() => void read()}>
          Show it
        </button>
      )}
    </p>
  )
}

function CommitMessage({ text }: { readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast('allow', 'Copied the message.')
    } catch {
      showToast('info', 'The browser does not let the page copy. Select the text instead.')
    }
  }
  return (
    <section className="commit-message" aria-label="Suggested commit message">
      <h2 className="row lab">
        Suggested commit message
        <span className="grow" />
        <button className="icon-btn sm" aria-label="Copy the message" onClick={() => void copy()}>
          <Icon name="copy" size={14} />
        </button>
      </h2>
      <pre className="code wrap well" tabIndex={0} aria-label="Message">
        <VisibleText text={text} />
      </pre>
    </section>
  )
}
