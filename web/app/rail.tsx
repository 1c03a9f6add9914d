/** The rail: the sections, and every session on every screen. */
import { use } from 'react'
import type { Session } from '../../src/api/session.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { usePendingApprovals, useSessions } from '../hub/hub-data.ts'
import { useStore } from '../hub/store.ts'
import { Icon, Logo } from '../parts/icons.tsx'
import { DecisionMark, LabelledMark, StateMark } from '../parts/marks.tsx'
import { addressOf, byUrgency, shownState } from '../parts/session-state.ts'
import { shortAge } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { useSteadyOrder } from '../parts/steady-order.ts'
import { commandKey } from './keys.ts'
import { PageLink } from './link.tsx'
import type { Lamp } from './page-title.ts'
import { type Route, useRoute } from './router.ts'
import { sections } from './sections.ts'
import { ShellContext } from './shell-context.ts'
import { switchTheme } from './theme.ts'

export function Rail({ lamp }: { readonly lamp: Lamp }) {
  const { openPalette, openNewSession, logOut } = use(ShellContext)
  const link = useStore(useHub().feed.link)
  const isLost = link.is === 'lost'
  const route = useRoute()
  return (
    <nav className="rail" aria-label="Main">
      <PageLink className="brand" to={{ is: 'sessions' }}>
        <Logo lamp={lamp} />
        <span className="lbl">Signalbox</span>
      </PageLink>
      <button className="find" onClick={openPalette} title="Search or run">
        <Icon name="search" size={14} />
        <span className="lbl">Search or run</span>
        <kbd aria-hidden="true">{commandKey === '⌘' ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Sections />
      <div className="rail-head">
        <span className="lbl">Sessions</span>
        <button
          className="icon-btn sm"
          aria-label="New session"
          title="New session (N)"
          disabled={isLost}
          onClick={() => openNewSession()}
        >
          <Icon name="plus" size={14} />
        </button>
      </div>
      <SessionLinks />
      <div className="rail-foot">
        {isLost ? <StateMark state="unknown" size={12} /> : <DecisionMark name="running" size={12} />}
        <span className="lbl nowrap">{isLost ? 'No connection' : link.is === 'live' ? 'Live' : 'Connecting'}</span>
        <span className="t3 lbl cut">{location.hostname}</span>
        <span className="grow" />
        <button className="icon-btn sm" aria-label="Switch theme" title="Switch theme" onClick={switchTheme}>
          <Icon name="sun" size={14} />
        </button>
        <PageLink
          className="icon-btn sm"
          to={{ is: 'settings', id: undefined }}
          aria-label="Settings"
          title="Settings"
          {...(route.is === 'settings' && { 'aria-current': 'page' })}
        >
          <Icon name="settings" size={14} />
        </PageLink>
        <button className="icon-btn sm" aria-label="Log out" title="Log out" onClick={logOut}>
          <Icon name="leave" size={14} />
        </button>
      </div>
    </nav>
  )
}

function Sections() {
  const route = useRoute()
  const { value: sessions = [] } = useSessions()
  const { value: approvals = [] } = usePendingApprovals()
  const current = (is: Route['is']) => (route.is === is ? ({ 'aria-current': 'page' } as const) : {})
  return (
    <ul className="nav">
      <li>
        <PageLink to={{ is: 'sessions' }} title="Sessions" {...current('sessions')}>
          <Icon name="sessions" />
          <span className="lbl">Sessions</span>
          {sessions.length > 0 && <span className="count">{sessions.length}</span>}
        </PageLink>
      </li>
      {sections.map(
        ({ is, title, icon }) =>
          is !== 'settings' && (
            <li key={is}>
              <PageLink to={{ is, id: undefined }} title={title} {...current(is)}>
                <Icon name={icon} />
                <span className="lbl">{title}</span>
                {is === 'approvals' && <WaitingBadge count={approvals.length} />}
              </PageLink>
            </li>
          ),
      )}
    </ul>
  )
}

export function WaitingBadge({ count }: { readonly count: number }) {
  return (
    count > 0 && (
      <span className="badge ml-auto">
        <StateMark state="waiting" size={8} />
        {count}
        <span className="sr"> waiting</span>
      </span>
    )
  )
}

function SessionLinks() {
  const { value: sessions } = useSessions()
  const sorted = sessions?.toSorted(byUrgency) ?? []
  const { items, ...steady } = useSteadyOrder(sorted, ({ id }) => id)
  if (sessions?.length === 0) {
    return (
      <p className="rail-list s12 t3 px-2 py-1">
        <span className="lbl">None yet</span>
      </p>
    )
  }
  return (
    <ul className="rail-list" {...steady}>
      {items.map((session) => (
        <SessionLink key={session.id} session={session} all={sessions ?? []} />
      ))}
    </ul>
  )
}

function SessionLink({ session, all }: { readonly session: Session; readonly all: readonly Session[] }) {
  const route = useRoute()
  const now = useNow(30_000)
  const state = shownState(session, useIsLost())
  const name = addressOf(session, all)
  const isCurrent = route.is === 'session' && (route.name === session.name ? name : route.name) === name
  return (
    <li>
      <PageLink
        to={{ is: 'session', name }}
        className={state === 'ended' ? 'ended' : ''}
        title={session.name}
        {...(isCurrent && { 'aria-current': 'page' })}
      >
        <LabelledMark state={state} />
        <span className="cut lbl">{session.name}</span>
        <span className="age num lbl">{shortAge(session.created_at, now)}</span>
      </PageLink>
    </li>
  )
}
