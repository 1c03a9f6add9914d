/** One session: its terminal beside its thread, and the other tabs. */
import { Suspense, lazy, useCallback, useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { PageLink } from '../app/link.tsx'
import { useKeys } from '../app/keys.ts'
import { usePageTitle } from '../app/page-title.ts'
import { go } from '../app/router.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost, useLive } from '../hub/hub-context.tsx'
import { usePendingApprovals, useSessions } from '../hub/hub-data.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { addressOf, byUrgency, howItEnded, placeOf, shownState, stateWords } from '../parts/session-state.ts'
import { Sheet } from '../parts/sheet.tsx'
import { shortAge } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { FilePlace } from './open-file.ts'
import { SidePane } from './side-pane.tsx'
import { type SideTab, phoneTabs, sideTabs } from './side-tabs.tsx'
import { useSessionTools } from './use-session-tools.ts'
import './side-tabs.css'

const TerminalPane = lazy(() => import('./terminal/terminal-pane.tsx'))

type Layout = 'terminal' | 'both' | 'thread'

const layouts: readonly (readonly [Layout, string, IconName])[] = [
  ['terminal', 'Terminal only', 'terminalOnly'],
  ['both', 'Terminal and thread', 'beside'],
  ['thread', 'Thread only', 'threadOnly'],
]

/** Each time that a session is opened, its name is looked up anew. */
let openings = 0

export function SessionView({ name, waiting }: { readonly name: string; readonly waiting: number }) {
  const [opening] = useState(() => ++openings)
  const { value: session, refused } = useLive<Session>(`session:${name}:${opening}`, ({ call }) => ({
    uris: ['resource://sessions'],
    everyMs: 200,
    // After the first read by its id, since a name refers to its newest session.
    read: (signal, before) => call<Session>('get_session', { name: before?.id ?? name }, signal),
  }))
  if (session) return <OpenSession key={session.id} session={session} waiting={waiting} />
  return (
    <main className="main" id="main">
      <header className="bar sess-bar">
        <h1 className="bt cut">{name}</h1>
      </header>
      <p className="t2 p-4" role="status">
        {refused}
      </p>
    </main>
  )
}

interface WindowConfig {
  readonly terminal: { readonly title?: string }
  readonly window: { readonly title: string; readonly opacity: number }
}

function OpenSession({ session, waiting }: { readonly session: Session; readonly waiting: number }) {
  const { value: all = [] } = useSessions()
  const { value: approvals = [] } = usePendingApprovals()
  const own = approvals.filter(({ session_id: id }) => id === session.id)
  const hasTerminal = session.terminal !== undefined && session.status !== 'queued' && session.status !== 'starting'
  const hasThread = session.thread !== undefined || session.mode !== 'terminal' || own.length > 0
  const [chosen, setChosen] = useState<Layout>()
  const isPhone = useIsPhone()
  /** A phone shows the terminal or a tab; a desktop shows the tab beside it. */
  const [chosenTab, setTab] = useState<SideTab>()
  const [isTerminalShown, setIsTerminalShown] = useState(!hasThread)
  const [place, setPlace] = useState<FilePlace>()
  const [programTitle, setProgramTitle] = useState('')
  const onTitle = useCallback((title: string) => setProgramTitle(title), [])
  const config = useWindow(session, hasTerminal)
  const layout: Layout = hasTerminal ? (chosen ?? (hasThread ? 'both' : 'terminal')) : 'thread'
  const firstTab: SideTab = hasThread ? 'thread' : 'files'
  const tab = chosenTab === 'thread' && !hasThread ? firstTab : (chosenTab ?? firstTab)
  const { value: seen } = useSessionTools(session)
  const tabs = sideTabs({ hasThread, pending: own, tools: seen?.tools.length })
  const openFile = useCallback((file: FilePlace) => {
    setPlace(file)
    setTab('files')
    setIsTerminalShown(false)
  }, [])

  // A title that people set wins over the title of the program.
  const isOwnTitle = config !== undefined && config.window.title !== (config.terminal.title || session.name)
  const title = isOwnTitle ? config.window.title : programTitle
  usePageTitle(title === '' ? session.name : `${session.name}: ${title}`, waiting)

  const neighbours = all.toSorted(byUrgency)
  const step = (by: number) => {
    const next = neighbours[neighbours.findIndex(({ id }) => id === session.id) + by]
    if (next) go({ is: 'session', name: addressOf(next, all) })
  }
  useKeys({
    '[': () => step(-1),
    ']': () => step(1),
    '\\': () => setChosen(layouts[(layouts.findIndex(([each]) => each === layout) + 1) % layouts.length]![0]),
  })
  const phoneTab = hasTerminal && isTerminalShown ? 'terminal' : tab
  function choosePhoneTab(next: SideTab | 'terminal'): void {
    setIsTerminalShown(next === 'terminal')
    if (next !== 'terminal') setTab(next)
  }
  return (
    <main className="main" id="main" data-view={phoneTab === 'terminal' ? 'terminal' : 'thread'}>
      <SessionBar session={session} title={title} layout={hasTerminal ? layout : undefined} onLayout={setChosen} />
      <Tabs
        className="seg phone-only p-tabs"
        label="View"
        tabs={phoneTabs(tabs, hasTerminal)}
        chosen={phoneTab}
        onChoose={choosePhoneTab}
      />
      <EndNotice session={session} />
      <div className={`panes l-${layout}`}>
        {hasTerminal && (layout !== 'thread' || isPhone) && (
          <Suspense fallback={<section className="pane tpane" aria-label="Terminal" />}>
            <TerminalPane
              session={session}
              focused={layout === 'terminal'}
              opacity={config?.window.opacity ?? 1}
              onTitle={onTitle}
            />
          </Suspense>
        )}
        {(layout !== 'terminal' || (isPhone && phoneTab !== 'terminal')) && (
          <SidePane
            session={session}
            approvals={own}
            tabs={tabs}
            tab={tab}
            onTab={setTab}
            place={place}
            openFile={openFile}
          />
        )}
      </div>
    </main>
  )
}

/** The title and the opacity that people set for the terminal. */
function useWindow(session: Session, hasTerminal: boolean): WindowConfig | undefined {
  const { value } = useLive<WindowConfig | undefined>(`window:${session.id}:${hasTerminal}`, ({ call }) => ({
    uris: ['resource://sessions'],
    everyMs: 1_000,
    read: async (signal) =>
      hasTerminal ? call<WindowConfig>('get_config', { session: session.id }, signal) : undefined,
  }))
  return value
}

function EndNotice({ session }: { readonly session: Session }) {
  const { call } = useHub()
  const isLost = useIsLost()
  if (!isOver(session.status)) return null
  const resume = async () => {
    try {
      const next = await call<Session>('resume_session', { name: session.id })
      go({ is: 'session', name: next.name })
    } catch (error) {
      showFailure(error)
    }
  }
  return (
    <div className="end-notice row" role="status" aria-label="End of the session">
      <span className="cut grow">
        This session is over. <VisibleText text={session.last_message ?? `It ended with ${howItEnded(session)}.`} />
      </span>
      {session.can_resume && (
        <button className="btn" disabled={isLost} onClick={() => void resume()}>
          Resume
        </button>
      )}
    </div>
  )
}

interface SessionBarProps {
  readonly session: Session
  readonly title: string
  /** `undefined`: there is only one pane. */
  readonly layout: Layout | undefined
  onLayout(layout: Layout): void
}

function SessionBar({ session, title, layout, onLayout }: SessionBarProps) {
  const isLost = useIsLost()
  const state = shownState(session, isLost)
  const now = useNow(30_000)
  const [isStopping, setIsStopping] = useState(false)
  const isEnded = isOver(session.status)
  const chip = { waiting: ' wait', working: ' go', failed: ' stop' }[state as string] ?? ''
  return (
    <header className="bar sess-bar">
      <PageLink className="icon-btn phone-only" to={{ is: 'sessions' }} aria-label="Back to sessions">
        <Icon name="back" size={20} />
      </PageLink>
      <StateMark state={state} />
      <h1 className="bt cut">{session.name}</h1>
      <span className={`chip${chip}`}>{stateWords[state]}</span>
      <span className="s12 t3 desk-only meta cut">
        {session.template}
        {placeOf(session) !== '' && (
          <>
            <span className="sep" />
            <Icon name="folder" size={12} />
            <span title={session.workspace_path}>{placeOf(session)}</span>
          </>
        )}
        <span className="sep" />
        <span className="num">{shortAge(session.created_at, now)}</span>
        {title !== '' && (
          <>
            <span className="sep" />
            <span className="cut">
              <VisibleText text={title} />
            </span>
          </>
        )}
        {session.governed && session.governed.is !== 'yes' && (
          <>
            <span className="sep" />
            <span title={session.governed.reason}>
              policy covers {session.governed.is === 'no' ? 'none' : 'part'} of it
            </span>
          </>
        )}
        {session.governed && !session.confined && (
          <>
            <span className="sep" />
            <span title="Its program can read and write whatever you can.">not confined</span>
          </>
        )}
      </span>
      <span className="grow" />
      {layout !== undefined && (
        <span className="seg desk-only" role="group" aria-label="Layout">
          {layouts.map(([each, words, icon]) => (
            <button
              key={each}
              className="icon-btn"
              aria-label={words}
              title={words}
              aria-pressed={each === layout}
              onClick={() => onLayout(each)}
            >
              <Icon name={icon} />
            </button>
          ))}
        </span>
      )}
      {!isEnded && (
        <button className="btn desk-only" disabled={isLost} onClick={() => setIsStopping(true)}>
          Stop…
        </button>
      )}
      <Menu.Root>
        <Menu.Trigger className="icon-btn" aria-label="More">
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" collisionPadding={8}>
            <Menu.Item onSelect={() => void copyLink(session)}>Copy the link</Menu.Item>
            {!isEnded && <Menu.Item onSelect={() => setIsStopping(true)}>Stop…</Menu.Item>}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {isStopping && <StopDialog session={session} onClose={() => setIsStopping(false)} />}
    </header>
  )
}

async function copyLink({ session_url: link }: Session): Promise<void> {
  try {
    await navigator.clipboard.writeText(link)
    showToast('allow', 'Copied the link. Who opens it logs in.')
  } catch {
    showToast('info', link)
  }
}

function StopDialog({ session, onClose }: { readonly session: Session; onClose(): void }) {
  const { call } = useHub()
  const stop = () => {
    void call('kill_session', { name: session.id }).catch(showFailure)
    onClose()
  }
  return (
    <Sheet title={`Stop ${session.name}?`} className="small" onClose={onClose}>
      <div className="sheet-b">
        <p className="t2">Its program ends. The workspace, the screen and the thread stay.</p>
      </div>
      <div className="row sheet-f">
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Back
        </button>
        <button className="btn lg primary" onClick={stop}>
          Stop the session
        </button>
      </div>
    </Sheet>
  )
}
