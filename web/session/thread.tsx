/**
 * The thread of a session. Only the rows in view are in the document. It follows the end while the person is there, and
 * otherwise offers to jump there.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { Icon } from '../parts/icons.tsx'
import { Ask } from './ask.tsx'
import { type CallDecision, decisionsOf } from './call-decisions.ts'
import type { OpenFile } from './open-file.ts'
import { ThreadItemView } from './thread-item.tsx'
import { type ThreadRow, type Unfolded, aboutTurns, folded, promptOf, toRows } from './thread-rows.ts'
import { useRecordedCalls } from './use-recorded-calls.ts'
import { useThread } from './use-thread.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import './thread.css'

/** A view this close to the end counts as being at the end. */
const nearPx = 48
/** The height of a row before it has been measured. */
const likelyPx = 64

export interface ThreadProps {
  readonly session: Session
  readonly id: string
  readonly approvals: readonly Approval[]
  readonly openFile: OpenFile
}

export default function Thread({ session, id, approvals, openFile }: ThreadProps) {
  const { value, refused } = useThread(id)
  const items = value?.items
  const [unfolded, setUnfolded] = useState(folded)
  const rows = useMemo(() => toRows(items ?? [], unfolded), [items, unfolded])
  const recorded = useRecordedCalls(session.id, id)
  const decisions = useMemo(() => decisionsOf(items ?? [], recorded), [items, recorded])
  /** The calls and thoughts that the person opened or closed. They stay so when they leave the view. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [isAtEnd, setIsAtEnd] = useState(true)
  const place = useRef<HTMLDivElement>(null)

  const count = rows.length + approvals.length
  const keyAt = (index: number) => rows[index]?.key ?? approvals[index - rows.length]?.id ?? index
  const list = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => likelyPx,
    getItemKey: keyAt,
    overscan: 6,
    paddingStart: 8,
    paddingEnd: 16,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearPx,
  })
  const isThere = count > 0
  useLayoutEffect(() => {
    if (isThere) list.scrollToEnd()
  }, [isThere, list])
  // A pane that changes its size moves the end.
  const follows = useRef(true)
  follows.current = isAtEnd
  useEffect(() => {
    const observer = new ResizeObserver(() => follows.current && list.scrollToEnd())
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [list])

  return (
    <div className="thread-place">
      <div
        className="scroll thread"
        tabIndex={0}
        role="log"
        aria-label="Thread"
        ref={place}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setIsAtEnd(scrollHeight - scrollTop - clientHeight < nearPx)
        }
      >
        {refused !== undefined && <p className="t3 px-4">{refused}</p>}
        <div className="virtual-rows" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={index === count - 1 ? 'virtual-row last' : 'virtual-row'}
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowView
                row={rows[index]}
                approval={approvals[index - rows.length]}
                isNext={index > rows.length}
                unfolded={unfolded}
                onUnfold={setUnfolded}
                toggled={toggled}
                onToggle={(each) => setToggled(flipped(toggled, each))}
                decisions={decisions}
                openFile={openFile}
              />
            </div>
          ))}
        </div>
      </div>
      {!isAtEnd && isThere && (
        <button className="btn jump" onClick={() => list.scrollToEnd()}>
          <Icon name="down" size={14} />
          Jump to latest
        </button>
      )}
    </div>
  )
}

interface RowProps {
  /** `undefined`: it is an approval. */
  readonly row: ThreadRow | undefined
  readonly approval: Approval | undefined
  /** Another approval waits before this one. */
  readonly isNext: boolean
  readonly unfolded: Unfolded
  onUnfold(unfolded: Unfolded): void
  readonly toggled: ReadonlySet<string>
  onToggle(key: string): void
  readonly decisions: ReadonlyMap<string, CallDecision>
  readonly openFile: OpenFile
}

function RowView({ row, approval, isNext, unfolded, onUnfold, toggled, onToggle, decisions, openFile }: RowProps) {
  if (!row) {
    return approval ? (
      <div className="track">
        <Ask approval={approval} isNext={isNext} />
      </div>
    ) : null
  }
  switch (row.is) {
    case 'past':
      return <PastTurns row={row} unfolded={unfolded} onUnfold={onUnfold} />
    case 'turn': {
      const { turn, number } = row
      const isOpen = unfolded.turns.has(turn.key)
      return (
        <button
          className="turn-fold one"
          aria-expanded={isOpen}
          onClick={() => onUnfold({ ...unfolded, turns: flipped(unfolded.turns, turn.key) })}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
          <span className="nowrap">Turn {number}</span>
          <span className="t3 cut grow">
            <VisibleText text={promptOf(turn).split('\n')[0] ?? ''} />
          </span>
          <span className="t3 nowrap">{aboutTurns([turn])}</span>
        </button>
      )
    }
    case 'item':
      return (
        <ThreadItemView
          item={row.item}
          isToggled={toggled.has(row.key)}
          onToggle={() => onToggle(row.key)}
          decision={row.item.is === 'call' ? decisions.get(row.item.key) : undefined}
          openFile={openFile}
        />
      )
  }
}

interface PastTurnsProps {
  readonly row: Extract<ThreadRow, { is: 'past' }>
  readonly unfolded: Unfolded
  onUnfold(unfolded: Unfolded): void
}

function PastTurns({ row: { turns }, unfolded, onUnfold }: PastTurnsProps) {
  return (
    <div className="row past-turns">
      <button
        className="turn-fold"
        aria-expanded={unfolded.past}
        onClick={() => onUnfold(unfolded.past ? folded : { past: true, turns: new Set() })}
      >
        <Icon name={unfolded.past ? 'down' : 'right'} size={12} />
        <span>{turns.length === 1 ? 'Turn 1' : `Turns 1 to ${turns.length}`}</span>
        <span className="t3">{aboutTurns(turns)}</span>
      </button>
      <button
        className="btn ghost"
        onClick={() => onUnfold({ past: true, turns: new Set(turns.map(({ key }) => key)) })}
      >
        Unfold all
      </button>
    </div>
  )
}

function flipped(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return set.symmetricDifference(new Set([key]))
}
