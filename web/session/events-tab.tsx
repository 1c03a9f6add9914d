/** The events of a session as they happen, with filters. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Session } from '../../src/api/session.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { type EventGroup, aboutEvent, eventGroups, isIn, markOf } from './event-words.ts'
import { useSessionEvents } from './use-session-events.ts'

const rowPx = 32

export default function EventsTab({ session }: { readonly session: Session }) {
  const { value, refused } = useSessionEvents(session.id)
  const [group, setGroup] = useState<EventGroup>('all')
  const [text, setText] = useState('')
  const [opened, setOpened] = useState<string>()
  const events = useMemo(() => value?.filter((event) => isIn(group, event) && holds(event, text)), [value, group, text])
  const place = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: events?.length ?? 0,
    getScrollElement: () => place.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => events![index]!.id,
    overscan: 10,
  })
  return (
    <>
      <div className="tab-bar">
        <label className="input soft grow">
          <Icon name="search" size={14} />
          <input
            aria-label="Filter events"
            placeholder="Filter"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <span className="seg sm" role="group" aria-label="Kinds of events">
          {(Object.keys(eventGroups) as EventGroup[]).map((each) => (
            <button key={each} aria-pressed={each === group} onClick={() => setGroup(each)}>
              {eventGroups[each]}
            </button>
          ))}
        </span>
      </div>
      {refused !== undefined && <p className="t3 p-4">{refused}</p>}
      {events?.length === 0 && (
        <p className="t3 p-4">{value?.length === 0 ? 'Nothing has happened yet.' : 'Nothing matches.'}</p>
      )}
      <div className="scroll" ref={place} tabIndex={0} role="region" aria-label="Events, newest first">
        <ol className="virtual-rows" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const event = events![index]!
            return (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="virtual-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <EventRow
                  event={event}
                  isOpen={opened === event.id}
                  onToggle={() => setOpened(opened === event.id ? undefined : event.id)}
                />
              </li>
            )
          })}
        </ol>
      </div>
    </>
  )
}

interface EventRowProps {
  readonly event: LoggedEvent
  readonly isOpen: boolean
  onToggle(): void
}

function EventRow({ event, isOpen, onToggle }: EventRowProps) {
  const mark = markOf(event)
  const { payload, seq: _, at: __, session: ___, ...place } = event
  return (
    <>
      <button className="event-h" aria-expanded={isOpen} onClick={onToggle}>
        <span className="num s12 t3">{clock(event.at)}</span>
        <span className="mark-room">{mark && <DecisionMark name={mark} size={12} />}</span>
        <span className="nowrap">{event.type}</span>
        <span className="cut grow s12 t2">
          <VisibleText text={aboutEvent(event)} />
        </span>
      </button>
      {isOpen && (
        <pre className="code wrap well event-b" tabIndex={0} aria-label="Event">
          <VisibleText text={JSON.stringify({ ...place, payload }, null, 2)} />
        </pre>
      )}
    </>
  )
}

function holds(event: LoggedEvent, text: string): boolean {
  if (text === '') return true
  return JSON.stringify(event).toLowerCase().includes(text.toLowerCase())
}
