/** The last hour of a session as a strip: thick while it worked, hatched while it was held, thin while it was idle. */
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useLive } from '../hub/hub-context.tsx'
import { type ActivityChange, activitySpans, readChanges } from '../parts/activity-spans.ts'
import { useNow } from '../parts/use-now.ts'

const hourMs = 60 * 60_000
const everyMs = 5_000

interface History {
  readonly cursor: string | undefined
  readonly bySession: ReadonlyMap<string, readonly ActivityChange[]>
}

function useHistory(): History | undefined {
  const { value } = useLive<History>('last-hour', ({ call }) => ({
    uris: ['resource://sessions'],
    everyMs,
    async read(signal, before) {
      const since = Date.now() - hourMs
      const start = before?.cursor === undefined ? { since: new Date(since).toISOString() } : { cursor: before.cursor }
      const bySession = new Map(before?.bySession)
      const { changes, cursor } = await readChanges(call, start, signal)
      for (const change of changes) bySession.set(change.session, [...(bySession.get(change.session) ?? []), change])
      return { cursor, bySession }
    },
  }))
  return value
}

export function LastHour({ session, width = 280 }: { readonly session: Session; readonly width?: number }) {
  const changes = useHistory()?.bySession.get(session.id) ?? []
  const now = useNow(30_000)
  const spans = activitySpans(session, changes, now).filter(({ to }) => to > now - hourMs)
  const x = (at: number) => Math.max(0, Math.min(1, 1 - (now - at) / hourMs)) * (width - 4)
  const end = isOver(session.status) ? Date.parse(session.updated_at) : now
  const begin = Date.parse(session.created_at)
  return (
    <svg className="strip" viewBox={`0 0 ${width} 8`} preserveAspectRatio="none" role="img" aria-label="Last hour">
      {end > now - hourMs && <path d={`M${x(begin)} 4H${x(end)}`} stroke="var(--line2)" strokeWidth="1.5" />}
      {spans.map(({ is, from, to }) => (
        <path
          key={from}
          d={`M${x(from)} 4H${Math.max(x(to), x(from) + 1.5)}`}
          {...(is === 'working'
            ? { stroke: 'var(--go)', strokeWidth: 4 }
            : { stroke: 'var(--wait-lamp)', strokeWidth: 6, strokeDasharray: '3 2' })}
        />
      ))}
      {isOver(session.status) && end > now - hourMs && (
        <path d={`M${x(end) + 1} 0v8`} stroke="var(--text3)" strokeWidth="1.5" />
      )}
    </svg>
  )
}
