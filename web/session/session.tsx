/** One session: its terminal beside its thread, and the other tabs. */
import { useCallback, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useKeys } from '../app/keys.ts'
import { usePageTitle } from '../app/page-title.ts'
import { go } from '../app/router.ts'
import { useIsLost, useLive } from '../hub/hub-context.tsx'
import { usePendingApprovals, useSessions } from '../hub/hub-data.ts'
import { Tabs } from '../parts/tabs.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { addressOf, byUrgency, howItEnded } from '../parts/session-state.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { FilePlace } from './open-file.ts'
import { type Layout, SessionBar, layouts } from './session-bar.tsx'
import { useResume } from './session-menu.tsx'
import { SidePane } from './side-pane.tsx'
import { type SideTab, phoneTabs, sideTabs } from './side-tabs.tsx'
import { useTerminalPane } from './terminal/load-terminal-pane.ts'
import type { TerminalPaneProps } from './terminal/terminal-pane.tsx'
import { useSessionTools } from './use-session-tools.ts'
import './side-tabs.css'

/** The name is looked up again each time a session is opened. */
let openings = 0

export function SessionView({ name, waiting }: { readonly name: string; readonly waiting: number }) {
  const [opening] = useState(() => ++openings)
  const { value: session, refused } = useLive<Session>(`session:${name}:${opening}`, ({ call }) => ({
    uris: ['resource://sessions'],
    everyMs: 200,
    // After the first read by its id, since a name refers to its newest session.
    read: (signal, before) => call<Session>('get_session', { name: before?.id ?? name }, signal),
  }))
  // From the home page, it opens before the hub has answered.
  const { value: all = [] } = useSessions()
  const shown = session ?? all.find((each) => addressOf(each, all) === name)
  if (shown) return <OpenSession key={shown.id} session={shown} waiting={waiting} />
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

function TerminalPlace(props: TerminalPaneProps) {
  const TerminalPane = useTerminalPane()
  return TerminalPane ? <TerminalPane {...props} /> : <section className="pane tpane" aria-label="Terminal" />
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
          <TerminalPlace
            session={session}
            focused={layout === 'terminal'}
            opacity={config?.window.opacity ?? 1}
            onTitle={onTitle}
          />
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
  const isLost = useIsLost()
  const resume = useResume(session)
  if (!isOver(session.status)) return null
  return (
    <div className="end-notice row" role="status" aria-label="End of the session">
      <span className="cut grow">
        This session is over. <VisibleText text={session.last_message ?? `It ended with ${howItEnded(session)}.`} />
      </span>
      {session.can_resume && (
        <button className="btn" disabled={isLost} onClick={resume}>
          Resume
        </button>
      )}
    </div>
  )
}
