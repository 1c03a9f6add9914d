/** The thread of a session. It follows the end while the person is there, and says when there is more below. */
import { Suspense, lazy, memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { Icon } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { Ask } from './ask.tsx'
import { type ThreadItem, type Turn, toTurns } from './thread-items.ts'
import { ToolCall } from './tool-call.tsx'
import { useThread } from './use-thread.ts'

const Markdown = lazy(() => import('../parts/markdown.tsx'))

/** So near to its end, the thread counts as read to the end. */
const nearPx = 48

export function Thread({ id, approvals }: { readonly id: string; readonly approvals: readonly Approval[] }) {
  const { value, refused } = useThread(id)
  const items = value?.items ?? []
  const turns = toTurns(items)
  const place = useRef<HTMLDivElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const [isUnfolded, setIsUnfolded] = useState(false)

  const toEnd = () => place.current?.scrollTo({ top: place.current.scrollHeight })
  useLayoutEffect(() => {
    if (isAtEnd) toEnd()
  }, [items, approvals, isAtEnd])
  // Parts that are loaded late, and panes that change their size, make the thread longer.
  useEffect(() => {
    const observer = new ResizeObserver(() => isAtEnd && toEnd())
    for (const child of place.current!.children) observer.observe(child)
    return () => observer.disconnect()
  }, [isAtEnd])

  const past = turns.slice(0, -1)
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
        <div>
          {refused !== undefined && <p className="t3 px-4">{refused}</p>}
          {past.length > 0 && (
            <button className="turn-fold" aria-expanded={isUnfolded} onClick={() => setIsUnfolded(!isUnfolded)}>
              <Icon name={isUnfolded ? 'down' : 'right'} size={12} />
              <span>{past.length === 1 ? 'Turn 1' : `Turns 1 to ${past.length}`}</span>
              <span className="t3">{countCalls(past)}</span>
            </button>
          )}
          {(isUnfolded ? turns : turns.slice(-1)).map((turn) => (
            <TurnView key={turn.key} turn={turn} />
          ))}
          <div className="track">
            {approvals.map((approval, index) => (
              <Ask key={approval.id} approval={approval} isNext={index > 0} />
            ))}
          </div>
        </div>
      </div>
      {!isAtEnd && (
        <button className="btn jump" onClick={toEnd}>
          <Icon name="down" size={14} />
          Jump to latest
        </button>
      )}
    </div>
  )
}

function countCalls(turns: readonly Turn[]): string {
  const calls = turns.flatMap(({ items }) => items).filter(({ is }) => is === 'call').length
  return calls === 1 ? '1 call' : `${calls} calls`
}

function TurnView({ turn }: { readonly turn: Turn }) {
  const prompts = turn.items.filter((item) => item.is === 'prompt')
  const rest = turn.items.filter((item) => item.is !== 'prompt')
  return (
    <>
      {prompts.map((item) => (
        <ItemView key={item.key} item={item} />
      ))}
      <div className="track">
        {rest.map((item) => (
          <ItemView key={`${item.is}:${item.key}`} item={item} />
        ))}
      </div>
    </>
  )
}

const ItemView = memo(function ItemView({ item }: { readonly item: ThreadItem }) {
  switch (item.is) {
    case 'prompt':
      return (
        <div className="msg you">
          <div className="mh">
            <span className="w6">You</span>
            <span className="t3 s12 num">{clock(item.at, { seconds: false })}</span>
          </div>
          <p className="said">
            <VisibleText text={item.text} />
          </p>
        </div>
      )
    case 'text':
      return (
        <div className="say">
          <Suspense fallback={<p className="said">{item.text}</p>}>
            <Markdown text={item.text} />
          </Suspense>
        </div>
      )
    case 'thinking':
      return <Thought text={item.text} />
    case 'call':
      return <ToolCall call={item} />
    case 'end':
      if (item.status === 'completed') return null
      return (
        <p className="say s12 stop row">
          <StateMark state="failed" size={12} />
          <span>
            {item.status === 'interrupted' ? 'Interrupted' : 'Failed'}
            {item.reason !== undefined && (
              <>
                : <VisibleText text={item.reason} />
              </>
            )}
          </span>
        </p>
      )
    case 'error':
      return (
        <p className="say s12 stop">
          <VisibleText text={item.message} />
        </p>
      )
  }
})

function Thought({ text }: { readonly text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="call think">
      <button className="call-h" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="node dash" />
        <span className="t2">Thought</span>
        <span className="t3 cut cs">
          <VisibleText text={text.split('\n').find((line) => line.trim() !== '') ?? ''} />
        </span>
      </button>
      {isOpen && (
        <p className="call-b t2 said">
          <VisibleText text={text} />
        </p>
      )}
    </div>
  )
}
