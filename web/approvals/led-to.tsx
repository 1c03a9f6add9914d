/** The last words of the agent before it asked, and its last calls. */
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { type ThreadItem, type ToolCallItem, summaryOf } from '../session/thread-items.ts'
import { useThread } from '../session/use-thread.ts'

const shownCalls = 3

export function LedTo({ thread }: { readonly thread: string }) {
  const items: readonly ThreadItem[] = useThread(thread).value?.items ?? []
  const words = items.findLast((item) => item.is === 'text')
  const calls = items.filter((item): item is ToolCallItem => item.is === 'call' && item.outcome.is !== 'running')
  if (!words && calls.length === 0) return null
  return (
    <section className="ctx">
      <h3 className="lab">What led to it</h3>
      {words?.is === 'text' && (
        <p className="led-words">
          “<VisibleText text={words.text.trim()} />”
        </p>
      )}
      <ul className="steps">
        {calls.slice(-shownCalls).map(({ key, name, parameters, outcome }) => (
          <li key={key}>
            <DecisionMark name={outcome.is === 'success' ? 'allow' : 'abort'} size={12} />
            <code>{name}</code>
            <span className="t2 cut">
              <VisibleText text={summaryOf(parameters)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
