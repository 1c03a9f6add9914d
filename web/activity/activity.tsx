/** Activity: the turns of agents as waterfalls, the event log as it grows, and what agents use. */
import { type ReactNode, useRef, useState } from 'react'
import { PageLink } from '../app/link.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { useIsLost } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { useNow } from '../parts/use-now.ts'
import { type EventFilter, type EventWindow, useEvents, useTrace, useTurns, useUsage } from './activity-data.ts'
import './activity.css'
import { Events } from './events.tsx'
import { ExportMenu, eventExports, usageExports, useTurnExports } from './export-menu.tsx'
import { TurnDetail } from './turn-detail.tsx'
import { type TurnFilter, TurnList, matchesFilter, useTurnFilter } from './turn-list.tsx'
import { Usage, type UsagePeriod } from './usage.tsx'

type Tab = 'turns' | 'events' | 'usage'

const tabs: readonly (readonly [Tab, string])[] = [
  ['turns', 'Turns'],
  ['events', 'Events'],
  ['usage', 'Usage'],
]

export default function Activity({ id, waiting }: { readonly id: string | undefined; readonly waiting: number }) {
  const tab: Tab = id === 'events' || id === 'usage' ? id : 'turns'
  const turn = tab === 'turns' ? id : undefined
  usePageTitle('Activity', waiting)
  return (
    <main className={turn === undefined ? 'main act' : 'main act is-turn'} id="main">
      <h1 className="sr">Activity</h1>
      {tab === 'turns' && <TurnsTab id={turn} />}
      {tab === 'events' && <EventsTab />}
      {tab === 'usage' && <UsageTab />}
    </main>
  )
}

function TurnsTab({ id }: { readonly id: string | undefined }) {
  const [filter, setFilter] = useTurnFilter()
  const { value: turns } = useTurns(filter.period, filter.session)
  const isPhone = useIsPhone()
  // On a desktop, the newest one is shown at once. It stays when a newer one begins.
  const shown = useRef<{ readonly filter: TurnFilter; readonly correlation: string }>(undefined)
  const newest = turns?.find((turn) => matchesFilter(turn, filter))?.correlation
  if (shown.current?.filter !== filter) {
    shown.current = newest === undefined ? undefined : { filter, correlation: newest }
  }
  const chosen = id ?? (isPhone ? undefined : shown.current?.correlation)
  return (
    <>
      <Bar tab="turns">{chosen !== undefined && <TurnExport correlation={chosen} />}</Bar>
      <div className="panes">
        <TurnList turns={turns} chosen={chosen} filter={filter} onFilter={setFilter} />
        {chosen === undefined ? <div className="pane detail" /> : <TurnDetail key={chosen} correlation={chosen} />}
      </div>
    </>
  )
}

function TurnExport({ correlation }: { readonly correlation: string }) {
  return <ExportMenu items={useTurnExports(useTrace(correlation).value?.turns[0])} />
}

function EventsTab() {
  const [filter, setFilter] = useState<EventFilter>({})
  const { value: all } = useEvents({})
  const { value, refused } = useEvents(filter)
  const [paused, setPaused] = useState<EventWindow>()
  const shown = paused ?? value
  const newest = shown?.events[0]?.seq ?? 0
  const missed = paused ? (value?.events ?? []).filter(({ seq }) => seq > newest).length : 0
  function choose(next: EventFilter): void {
    setPaused(undefined)
    setFilter(next)
  }
  return (
    <>
      <Bar tab="events" isPaused={paused !== undefined} onPause={() => setPaused(paused ? undefined : value)}>
        <ExportMenu items={eventExports(shown?.events ?? [])} />
      </Bar>
      <Events
        events={shown?.events}
        all={all?.events ?? []}
        refused={refused}
        filter={filter}
        onFilter={choose}
        missed={missed}
        onResume={() => setPaused(undefined)}
      />
    </>
  )
}

function UsageTab() {
  const [days, setDays] = useState<UsagePeriod>(7)
  const { value: rows, refused } = useUsage(days)
  return (
    <>
      <Bar tab="usage">
        <ExportMenu items={usageExports(rows ?? [])} />
      </Bar>
      <Usage rows={rows} refused={refused} days={days} onDays={setDays} />
    </>
  )
}

interface BarProps {
  readonly tab: Tab
  readonly isPaused?: boolean
  /** Without it, there is nothing to pause. */
  onPause?(): void
  readonly children: ReactNode
}

function Bar({ tab, isPaused = false, onPause, children }: BarProps) {
  return (
    <header className="bar act-bar">
      <span className="bt" aria-hidden="true">
        Activity
      </span>
      <nav className="seg" aria-label="Activity">
        {tabs.map(([each, words]) => (
          <PageLink
            key={each}
            to={{ is: 'activity', id: each === 'turns' ? undefined : each }}
            {...(each === tab && { 'aria-current': 'page' })}
          >
            {words}
          </PageLink>
        ))}
      </nav>
      <span className="grow" />
      <Liveness isPaused={isPaused} />
      {onPause && (
        <button
          className="icon-btn"
          aria-label={isPaused ? 'Go on' : 'Pause'}
          title={isPaused ? 'Go on' : 'Pause'}
          onClick={onPause}
        >
          <Icon name={isPaused ? 'play' : 'pause'} />
        </button>
      )}
      {children}
    </header>
  )
}

const rateMs = 10_000

function Liveness({ isPaused }: { readonly isPaused: boolean }) {
  const isLost = useIsLost()
  const { value } = useEvents({})
  const now = useNow(1_000)
  const count = value?.events.findIndex(({ at }) => now - Date.parse(at) > rateMs) ?? 0
  const recent = count < 0 ? (value?.events.length ?? 0) : count
  return (
    <span className="row s12 t2 desk-only">
      <StateMark state={isLost ? 'unknown' : isPaused ? 'idle' : 'working'} size={12} />
      {isLost ? 'No connection' : isPaused ? 'Paused' : rateText(recent / (rateMs / 1000))}
    </span>
  )
}

function rateText(perSecond: number): string {
  if (perSecond < 0.5) return 'Live'
  const rounded = Math.round(perSecond)
  return `Live, ${rounded} event${rounded === 1 ? '' : 's'} a second`
}
