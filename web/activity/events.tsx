/** The event log as it grows, with filters. */
import { type ReactNode, useState } from 'react'
import type { LoggedEvent } from '../../src/api/event.ts'
import { PageLink } from '../app/link.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { Icon } from '../parts/icons.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { EventFilter, EventWindow } from './activity-data.ts'
import { FilterMenu } from './filter-menu.tsx'
import { factsOf } from './event-facts.ts'
import { JsonText } from '../parts/json-text.tsx'

/** Those that people look for most. */
const commonTypes = [
  'turn-started',
  'turn-ended',
  'tool-called',
  'tool-answered',
  'model-called',
  'model-answered',
  'approval-requested',
  'approval-decided',
  'session-started',
  'session-ended',
  'activity-changed',
]
const shownAtOnce = 200

export interface EventsProps {
  /** `undefined`: they are being read. */
  readonly events: EventWindow['events'] | undefined
  /** Without the filter, for its choices. */
  readonly all: EventWindow['events']
  readonly refused: string | undefined
  readonly filter: EventFilter
  onFilter(filter: EventFilter): void
  /** How many came since the pause. */
  readonly missed: number
  onResume(): void
}

export function Events({ events, all, refused, filter, onFilter, missed, onResume }: EventsProps) {
  const [words, setWords] = useState('')
  const [shown, setShown] = useState(shownAtOnce)
  const { value: sessions = [] } = useSessions()
  const nameOf = (id: string | undefined) => sessions.find((session) => session.id === id)?.name ?? id ?? ''
  const found = (events ?? []).filter((event) => isLike(event, nameOf(event.session), words))
  return (
    <section className="ev" aria-label="Events">
      <div className="row a-fil ev-fil">
        <EventFilters all={all} filter={filter} onFilter={onFilter} names={sessions.map(({ name }) => name)} />
        <label className="input soft ev-words">
          <Icon name="search" size={14} />
          <input
            aria-label="Find in events"
            placeholder="Find in events"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
        <span className="grow" />
        {missed > 0 && (
          <button className="btn" onClick={onResume}>
            {missed} new
          </button>
        )}
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Event log">
        {refused !== undefined && <p className="t3 px-4 py-3">{refused}</p>}
        {events && found.length === 0 && refused === undefined && (
          <p className="t3 px-4 py-3">No event is like this.</p>
        )}
        <table className="table ev-t">
          <thead>
            <tr>
              <th>Time</th>
              <th>Session</th>
              <th>Event</th>
              <th>What</th>
              <th className="desk-only">Route</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shown).map((event) => (
              <EventRow key={event.seq} event={event} session={nameOf(event.session)} />
            ))}
          </tbody>
        </table>
        {found.length > shown && (
          <button className="btn ev-more" onClick={() => setShown(shown + shownAtOnce)}>
            Show {Math.min(shownAtOnce, found.length - shown)} more
          </button>
        )}
      </div>
    </section>
  )
}

function EventFilters({
  all,
  filter,
  onFilter,
  names,
}: Pick<EventsProps, 'all' | 'filter' | 'onFilter'> & { readonly names: readonly string[] }) {
  const types = [...new Set([...commonTypes, ...all.map(({ type }) => type)])].toSorted()
  const routes = [...new Set(all.flatMap(({ route }) => route ?? []))].toSorted()
  const choose = (name: keyof EventFilter) => (value: string | undefined) => {
    const { [name]: _, ...others } = filter
    onFilter(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <>
      <FilterMenu
        title="Session"
        all="All sessions"
        value={filter.session}
        choices={[...new Set(names)].map((name) => [name, name])}
        onChange={choose('session')}
      />
      <FilterMenu
        title="Type"
        all="All types"
        value={filter.type}
        choices={types.map((type) => [type, type])}
        onChange={choose('type')}
      />
      <FilterMenu
        title="Route"
        all="All routes"
        value={filter.route}
        choices={routes.map((route) => [route, route])}
        onChange={choose('route')}
      />
    </>
  )
}

function EventRow({ event, session }: { readonly event: LoggedEvent; readonly session: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const { at, type, route, payload, correlation } = event
  return (
    <>
      <tr className={isOpen ? 'is-open' : ''}>
        <td className="num s12 t2 nowrap">{clock(at)}</td>
        <td className="cut-cell">{session}</td>
        <td>
          <button className="ev-type" data-item aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <code>
              <VisibleText text={type} />
            </code>
          </button>
        </td>
        <td className="cut-cell ev-what s12 t2">
          <VisibleText text={factsOf(event)} />
        </td>
        <td className="s12 t3 nowrap desk-only">
          <VisibleText text={route ?? ''} />
        </td>
      </tr>
      {isOpen && (
        <tr className="ev-open">
          <td colSpan={5}>
            <pre className="code well wrap" tabIndex={0} role="region" aria-label="Payload">
              <JsonText text={JSON.stringify(payload, null, 2)} />
            </pre>
            <p className="row s12 t3 ev-foot">
              <Fact name="seq">{event.seq}</Fact>
              {correlation !== undefined && (
                <PageLink className="link" to={{ is: 'activity', id: correlation }}>
                  Open its trace
                </PageLink>
              )}
            </p>
          </td>
        </tr>
      )}
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className="num">
      {name} {children}
    </span>
  )
}

function isLike(event: LoggedEvent, session: string, words: string): boolean {
  if (words.trim() === '') return true
  const text = `${event.type} ${session} ${event.route ?? ''} ${event.correlation ?? ''} ${JSON.stringify(event.payload)}`
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.toLowerCase().includes(part))
}
