/** All sessions: those that wait for the person on top, those that work as live pictures, the rest as lines. */
import { use, useRef, useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { useKeys } from '../app/keys.ts'
import { usePageTitle } from '../app/page-title.ts'
import { ShellContext } from '../app/shell-context.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { usePendingApprovals, useSessions } from '../hub/hub-data.ts'
import { useStore } from '../hub/store.ts'
import { Icon } from '../parts/icons.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { StateMark } from '../parts/marks.tsx'
import { type SessionState, byUrgency, placeOf, stateOf } from '../parts/session-state.ts'
import { useSteadyOrder } from '../parts/steady-order.ts'
import { clock } from '../parts/time.ts'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { FirstSession } from './first-session.tsx'
import { SessionLine } from './session-line.tsx'
import { SessionRows } from './session-rows.tsx'
import { SessionTile } from './session-tile.tsx'
import { WaitingRow } from './waiting-row.tsx'

type Filter = 'all' | 'waiting' | 'working' | 'idle' | 'ended'

const filters: readonly (readonly [Filter, string, readonly SessionState[]])[] = [
  ['all', 'All', []],
  ['waiting', 'Waiting', ['waiting']],
  ['working', 'Working', ['working', 'starting']],
  ['idle', 'Idle', ['idle', 'unknown']],
  ['ended', 'Ended', ['ended', 'failed']],
]

const viewKey = 'signalbox-home'

export function Home({ waiting }: { readonly waiting: number }) {
  usePageTitle('Sessions', waiting)
  const { value: sessions } = useSessions()
  const { value: approvals = [] } = usePendingApprovals()
  const { openNewSession, openKeys, openPalette } = use(ShellContext)
  const isLost = useIsLost()
  const isPhone = useIsPhone()
  const [filter, setFilter] = useState<Filter>('all')
  const [text, setText] = useState('')
  const [asRows, setAsRows] = useState(() => localStorage.getItem(viewKey) === 'rows')
  const field = useRef<HTMLInputElement>(null)

  function show(rows: boolean): void {
    localStorage.setItem(viewKey, rows ? 'rows' : 'screens')
    setAsRows(rows)
  }
  useKeys({
    '/': () => field.current?.focus(),
    v: () => show(!asRows),
    ...Object.fromEntries(filters.map(([each], index) => [String(index + 1), () => setFilter(each)])),
  })

  if (!sessions) return <Loading />
  if (sessions.length === 0) return <FirstSession />
  const found = sessions.filter((session) => matches(session, filter, text)).toSorted(byUrgency)
  return (
    <main className="main" id="main">
      <h1 className="sr">Sessions</h1>
      <header className="bar home-bar">
        <span className="bt sr-desk" aria-hidden="true">
          Sessions
        </span>
        <div className="seg filters" role="group" aria-label="Filter by state">
          {filters.map(([each, words, states]) => (
            <button key={each} aria-pressed={filter === each} onClick={() => setFilter(each)}>
              {each !== 'all' && <StateMark state={each} size={10} />}
              {words}{' '}
              <span className="count">
                {sessions.filter((session) => each === 'all' || states.includes(stateOf(session))).length}
              </span>
            </button>
          ))}
        </div>
        <span className="grow" />
        <label className="input soft filter-in">
          <Icon name="search" size={14} />
          <input
            ref={field}
            aria-label="Filter sessions"
            placeholder="Name, template, branch"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && (setText(''), event.currentTarget.blur())}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <span className="seg viewseg" role="group" aria-label="View">
          <button className="icon-btn" aria-pressed={!asRows} aria-label="Screens" onClick={() => show(false)}>
            <Icon name="screens" />
          </button>
          <button className="icon-btn" aria-pressed={asRows} aria-label="Rows" onClick={() => show(true)}>
            <Icon name="rows" />
          </button>
        </span>
        <button className="icon-btn phone-only" aria-label="Search" onClick={openPalette}>
          <Icon name="search" size={20} />
        </button>
        <button className="btn primary new-btn" disabled={isLost} onClick={() => openNewSession()}>
          <Icon name="plus" size={14} />
          <span>New session</span>
          <kbd aria-hidden="true">N</kbd>
        </button>
      </header>
      {asRows && !isPhone ? (
        <SessionRows sessions={found} all={sessions} />
      ) : (
        <Screens sessions={found} all={sessions} approvals={approvals} onKeys={openKeys} />
      )}
    </main>
  )
}

interface ScreensProps {
  readonly sessions: readonly Session[]
  readonly all: readonly Session[]
  readonly approvals: readonly Approval[]
  onKeys(): void
}

function Screens({ sessions, all, approvals, onKeys }: ScreensProps) {
  const link = useStore(useHub().feed.link)
  const { items, ...steady } = useSteadyOrder(sessions, ({ id }) => id)
  const inState = (...states: readonly SessionState[]) => items.filter((session) => states.includes(stateOf(session)))
  const waiting = inState('waiting')
  const working = inState('working', 'starting')
  const rest = inState('idle', 'unknown', 'ended', 'failed')
  return (
    <div className={link.is === 'lost' ? 'scroll home is-lost' : 'scroll home'} tabIndex={-1} {...steady}>
      {sessions.length === 0 && <p className="t3 py-4">No session is like this.</p>}
      {waiting.length > 0 && (
        <section aria-labelledby="h-waiting">
          <h2 id="h-waiting" className="gh">
            Waiting for you <span className="count">{waiting.length}</span>
            <span className="grow" />
            {link.is === 'lost' ? (
              <span className="gnote t3">as of {clock(link.since)}</span>
            ) : (
              <span className="gnote t3" aria-hidden="true" onClick={onKeys}>
                <span>
                  <Keys keys={['J', 'K']} /> move
                </span>
                <span>
                  <Keys keys={['↵']} /> open
                </span>
                <span>
                  <Keys keys={['?']} /> all keys
                </span>
              </span>
            )}
          </h2>
          <div className="hatch wedge" />
          <ul className="wlist">
            {waiting.map((session) => (
              <WaitingRow
                key={session.id}
                session={session}
                all={all}
                approvals={approvals.filter(({ session_id: id }) => id === session.id)}
              />
            ))}
          </ul>
        </section>
      )}
      {working.length > 0 && (
        <section aria-labelledby="h-working">
          <h2 id="h-working" className="gh">
            Working <span className="count">{working.length}</span>
          </h2>
          <ul className="tiles">
            {working.map((session) => (
              <SessionTile key={session.id} session={session} all={all} />
            ))}
          </ul>
        </section>
      )}
      {rest.length > 0 && (
        <section aria-labelledby="h-rest">
          <h2 id="h-rest" className="gh">
            Idle and ended <span className="count">{rest.length}</span>
          </h2>
          <ul className="lines">
            {rest.map((session) => (
              <SessionLine key={session.id} session={session} all={all} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function matches(session: Session, filter: Filter, text: string): boolean {
  const [, , states] = filters.find(([each]) => each === filter)!
  if (filter !== 'all' && !states.includes(stateOf(session))) return false
  const words = [session.name, session.template, placeOf(session), ...session.labels].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.includes(part))
}

function Loading() {
  return (
    <main className="main loading" id="main" aria-busy="true">
      <h1 className="sr">Sessions</h1>
      <header className="bar home-bar" />
      <div className="scroll home" aria-hidden="true">
        {Array.from({ length: 5 }, (_, index) => (
          <div key={index} className="loading-row" />
        ))}
      </div>
    </main>
  )
}
