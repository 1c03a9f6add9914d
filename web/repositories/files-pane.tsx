/** The files of a repository that are indexed. */
import { useState } from 'react'
import { useLive } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import type { PaneProps } from './ask-pane.tsx'
import { number } from './index-words.ts'
import { wholeFile } from './place.ts'

const mostFiles = 10_000
/** More are found with the filter. */
const shownFiles = 500

interface Listed {
  readonly files: readonly string[]
  readonly has_more: boolean
}

export function FilesPane({ repository, open, onOpen }: PaneProps) {
  const { id, name } = repository
  const [filter, setFilter] = useState('')
  const { value, refused } = useLive(`files:${id}`, ({ call }) => ({
    uris: [`resource://repositories/${id}`],
    everyMs: 2_000,
    read: (signal) => call<Listed>('list_repository_files', { repository: id, limit: mostFiles }, signal),
  }))
  const words = filter.toLowerCase().split(/\s+/)
  const found = value?.files.filter((path) => words.every((word) => path.toLowerCase().includes(word))) ?? []
  return (
    <div className="pane rep-l">
      <div className="rep-search">
        <span className="input">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label="Filter files"
            placeholder={`Filter the files of ${name}`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </span>
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Files">
        <p className="s12 t3 rep-count" role="status">
          {refused ?? (value && countWords(found.length, value.has_more))}
        </p>
        <ul>
          {found.slice(0, shownFiles).map((path) => (
            <li key={path}>
              <button
                className="file-item cut"
                data-item
                aria-pressed={open?.path === path}
                onClick={() => onOpen(wholeFile(path))}
              >
                <VisibleText text={path} />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function countWords(count: number, hasMore: boolean): string {
  const files = counted(count, 'file')
  const shown = count > shownFiles ? `; the first ${shownFiles} are shown` : ''
  return `${files}${shown}${hasMore ? `. Only the first ${number(mostFiles)} files of the repository are listed here.` : ''}`
}
