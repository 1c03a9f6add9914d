/** One thing that was said or done in a thread. */
import { Suspense, lazy } from 'react'
import { StateMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { CallDecision } from './call-decisions.ts'
import type { OpenFile } from './open-file.ts'
import type { ThreadItem } from './thread-items.ts'
import { ToolCall } from './tool-call.tsx'

const Markdown = lazy(() => import('../parts/markdown.tsx'))

export interface ThreadItemProps {
  readonly item: ThreadItem
  /** The person opened what is closed at first, or closed what is open. */
  readonly isToggled: boolean
  onToggle(): void
  readonly decision: CallDecision | undefined
  readonly openFile: OpenFile
}

export function ThreadItemView({ item, isToggled, onToggle, decision, openFile }: ThreadItemProps) {
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
        <div className="track">
          <div className="say">
            <Suspense fallback={<p className="said">{item.text}</p>}>
              <Markdown text={item.text} onCite={openFile} />
            </Suspense>
          </div>
        </div>
      )
    case 'thinking':
      return (
        <div className="track">
          <Thought text={item.text} isOpen={isToggled} onToggle={onToggle} />
        </div>
      )
    case 'call':
      return (
        <div className="track">
          <ToolCall call={item} decision={decision} isToggled={isToggled} onToggle={onToggle} openFile={openFile} />
        </div>
      )
    case 'end':
      return (
        <div className="track">
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
        </div>
      )
    case 'error':
      return (
        <div className="track">
          <p className="say s12 stop">
            <VisibleText text={item.message} />
          </p>
        </div>
      )
  }
}

interface ThoughtProps {
  readonly text: string
  readonly isOpen: boolean
  onToggle(): void
}

function Thought({ text, isOpen, onToggle }: ThoughtProps) {
  return (
    <div className="call think">
      <button className="call-h" aria-expanded={isOpen} onClick={onToggle}>
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
