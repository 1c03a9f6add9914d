/** One repository: ask it, search it, and read the file that an answer or a match leads to. */
import { useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { RepositoryView } from '../../src/api/repository.ts'
import { go } from '../app/router.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { AskPane } from './ask-pane.tsx'
import { FileView } from './file-view.tsx'
import { FilesPane } from './files-pane.tsx'
import { markOf, progressWordsOf, stateWordsOf, unreadWordsOf } from './index-words.ts'
import type { Place } from './place.ts'
import { ProgressBar } from './progress-bar.tsx'
import { SearchPane } from './search-pane.tsx'

const tabs = ['Ask', 'Search', 'Files'] as const
type Tab = (typeof tabs)[number]

export function RepositoryDetail({ repository }: { readonly repository: RepositoryView }) {
  const [tab, setTab] = useState<Tab>('Ask')
  const [open, setOpen] = useState<Place>()
  const [places, setPlaces] = useState<readonly Place[]>([])
  const pane = { repository, open, onOpen: setOpen, onPlaces: setPlaces }
  return (
    <article className="pane detail rep" aria-label={repository.name}>
      <DetailHead repository={repository} tab={tab} onTab={setTab} />
      <IndexNotice repository={repository} />
      <div className="rep-split">
        {tab === 'Ask' && <AskPane {...pane} />}
        {tab === 'Search' && <SearchPane {...pane} />}
        {tab === 'Files' && <FilesPane {...pane} />}
        {open && (
          <FileView
            repository={repository.name}
            place={open}
            places={places}
            onOpen={setOpen}
            onClose={() => setOpen(undefined)}
          />
        )}
      </div>
    </article>
  )
}

interface HeadProps {
  readonly repository: RepositoryView
  readonly tab: Tab
  onTab(tab: Tab): void
}

function DetailHead({ repository, tab, onTab }: HeadProps) {
  const { name, path, index } = repository
  return (
    <header className="d-head wf-h">
      <button
        className="icon-btn phone-only"
        aria-label="Back"
        onClick={() => go({ is: 'repositories', id: undefined })}
      >
        <Icon name="back" size={20} />
      </button>
      <StateMark state={markOf(index)} label={stateWordsOf(index)} />
      <h2 className="cut">{name}</h2>
      <span className="s12 t3 desk-only cut" title={path}>
        {counted(index.files, 'file')}
        <span className="sep" />
        {counted(index.chunks, 'part')}
        {index.indexed_at !== undefined && (
          <>
            <span className="sep" />
            indexed {clock(index.indexed_at, { seconds: false })}
          </>
        )}
        <span className="sep" />
        {path}
      </span>
      <span className="grow" />
      <span className="seg" role="group" aria-label="View">
        {tabs.map((each) => (
          <button key={each} aria-pressed={each === tab} onClick={() => onTab(each)}>
            {each}
          </button>
        ))}
      </span>
      <RepositoryMenu repository={repository} />
    </header>
  )
}

function RepositoryMenu({ repository }: { readonly repository: RepositoryView }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [isRemoving, setIsRemoving] = useState(false)
  const { name } = repository
  async function refresh(): Promise<void> {
    try {
      await call('refresh_repository', { repository: name })
      showToast('allow', `The index of ${name} is up to date.`)
    } catch (error) {
      showFailure(error)
    }
  }
  async function remove(): Promise<void> {
    await call('remove_repository', { repository: name })
    go({ is: 'repositories', id: undefined })
  }
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger className="icon-btn" aria-label={`More about ${name}`} disabled={isLost}>
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
            <Menu.Item onSelect={() => void refresh()}>Refresh the index</Menu.Item>
            <Menu.Item onSelect={() => setIsRemoving(true)}>Remove…</Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {isRemoving && (
        <Confirm
          title={`Remove ${name}`}
          text="Its index is deleted. The folder and its files stay as they are, and you can add it again."
          action="Remove the index"
          onConfirm={remove}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </>
  )
}

/** Shown while the index differs from the folder. */
function IndexNotice({ repository }: { readonly repository: RepositoryView }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const { name, index } = repository
  const words = index.last_error ?? progressWordsOf(index) ?? unreadWordsOf(index)
  if (words === undefined) return null
  const refresh = () => void call('refresh_repository', { repository: name }).catch(showFailure)
  return (
    <div className="row rep-notice" role="status">
      <StateMark state={markOf(index)} />
      <span className="cut">{words}</span>
      <span className="grow">{index.progress && <ProgressBar {...index.progress} />}</span>
      {!index.progress && (
        <button className="btn" disabled={isLost} onClick={refresh}>
          {index.last_error === undefined ? 'Refresh' : 'Try again'}
        </button>
      )}
    </div>
  )
}
