/** Repositories: what is indexed, and one of them: ask it, search it, read its files. */
import { useState } from 'react'
import type { RepositoryView } from '../../src/api/repository.ts'
import { useKeys } from '../app/keys.ts'
import { usePageTitle } from '../app/page-title.ts'
import type { SectionProps } from '../app/sections.ts'
import { useIsLost, useLive } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { AddRepository } from './add-repository.tsx'
import { RepositoryDetail } from './repository-detail.tsx'
import { RepositoryList } from './repository-list.tsx'
import './repositories.css'

export default function Repositories({ id, waiting }: SectionProps) {
  usePageTitle('Repositories', waiting)
  const isLost = useIsLost()
  const isPhone = useIsPhone()
  const [isAdding, setIsAdding] = useState(false)
  const { value: repositories, refused } = useLive('repositories', ({ call }) => ({
    uris: ['resource://repositories'],
    // A repository that is indexed changes with each batch of files.
    everyMs: 250,
    async read(signal) {
      const { repositories: all } = await call<{ repositories: readonly RepositoryView[] }>(
        'list_repositories',
        {},
        signal,
      )
      return all
    },
  }))
  const add = () => isLost || setIsAdding(true)
  useKeys({ n: add })
  const chosen = id ?? (isPhone ? undefined : repositories?.[0]?.name)
  const shown = repositories?.find(({ name, id: own }) => name === chosen || own === chosen)
  return (
    <main className="main" id="main">
      <h1 className="sr">Repositories</h1>
      <header className="bar rep-bar">
        <span className="bt" aria-hidden="true">
          Repositories
        </span>
        <span className="grow" />
        <button className="btn" disabled={isLost} onClick={add}>
          <Icon name="plus" size={14} />
          Add
          <kbd aria-hidden="true">N</kbd>
        </button>
      </header>
      {repositories?.length === 0 ? (
        <Empty onAdd={add} />
      ) : (
        <div className="panes">
          <RepositoryList repositories={repositories} chosen={shown?.name} refused={refused} />
          {shown ? (
            <RepositoryDetail key={shown.id} repository={shown} />
          ) : (
            repositories &&
            chosen !== undefined && (
              <p className="pane detail t3 p-6" role="status">
                There is no repository “{chosen}”.
              </p>
            )
          )}
        </div>
      )}
      {isAdding && <AddRepository onClose={() => setIsAdding(false)} />}
    </main>
  )
}

function Empty({ onAdd }: { onAdd(): void }) {
  return (
    <div className="rep-empty">
      <h2>No repository is indexed yet</h2>
      <p className="t2">
        Add a folder of the hub’s machine. You and your agents can search it, and ask it questions that are answered
        with the lines they come from.
      </p>
      <button className="btn primary lg" onClick={onAdd}>
        Add a repository…
      </button>
    </div>
  )
}
