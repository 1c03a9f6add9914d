/** Adds a folder, and shows how far its index is. The hub continues if the dialog is closed. */
import { type SyntheticEvent, useState } from 'react'
import type { RepositoryView } from '../../src/api/repository.ts'
import { go } from '../app/router.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { number } from './index-words.ts'
import { ProgressBar } from './progress-bar.tsx'

interface Progress {
  readonly done: number
  readonly total: number
}

export function AddRepository({ onClose }: { onClose(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [path, setPath] = useState('')
  const [name, setName] = useState('')
  const [ref, setRef] = useState('')
  const [progress, setProgress] = useState<Progress>()
  const [isAdding, setIsAdding] = useState(false)
  const [why, setWhy] = useState<string>()

  async function add(event: SyntheticEvent): Promise<void> {
    event.preventDefault()
    setIsAdding(true)
    setWhy(undefined)
    const args = { path: path.trim(), ...(name !== '' && { name }), ...(ref !== '' && { ref }) }
    try {
      const added = await call<RepositoryView>('add_repository', args, undefined, (report) =>
        setProgress({ done: Number(report['progress']), total: Number(report['total']) }),
      )
      onClose()
      go({ is: 'repositories', id: added.name })
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
      setIsAdding(false)
      setProgress(undefined)
    }
  }
  return (
    <Sheet title="Add a repository" className="small" onClose={onClose}>
      <form onSubmit={(event) => void add(event)}>
        <div className="sheet-b rep-form">
          <div className="field">
            <label htmlFor="repository-path">Folder</label>
            <span className="input">
              <input
                id="repository-path"
                className="mono"
                required
                autoComplete="off"
                placeholder="/home/you/src/storefront"
                value={path}
                onChange={(event) => setPath(event.target.value)}
              />
            </span>
            <span className="hint">On the machine of the hub. A git repository, or any folder with text.</span>
          </div>
          <div className="rep-two">
            <div className="field">
              <label htmlFor="repository-name">
                Name <span className="t3">optional</span>
              </label>
              <span className="input">
                <input
                  id="repository-name"
                  autoComplete="off"
                  placeholder="As the folder"
                  value={name}
                  onChange={(event) => setName(event.target.value.trim())}
                />
              </span>
            </div>
            <div className="field">
              <label htmlFor="repository-ref">
                Branch, tag or commit <span className="t3">optional</span>
              </label>
              <span className="input">
                <input
                  id="repository-ref"
                  autoComplete="off"
                  placeholder="The files as they are"
                  value={ref}
                  onChange={(event) => setRef(event.target.value.trim())}
                />
              </span>
            </div>
          </div>
          {isAdding && (
            <div role="status">
              <span className="s12 t2">
                {progress
                  ? `Indexed ${number(progress.done)} of ${number(progress.total)} files`
                  : 'Looking at the files'}
              </span>
              <ProgressBar {...(progress ?? { done: 0, total: 0 })} />
            </div>
          )}
          {why !== undefined && (
            <p className="stop" role="alert">
              {why}
            </p>
          )}
        </div>
        <footer className="row sheet-f">
          <span className="s12 t3 desk-only">The index stays on this machine.</span>
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {isAdding ? 'Go on in the background' : 'Cancel'}
          </button>
          <button className="btn primary" disabled={isLost || isAdding || path.trim() === ''}>
            Add
          </button>
        </footer>
      </form>
    </Sheet>
  )
}
