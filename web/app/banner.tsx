/** Says that the connection is lost, since when, and when the page tries again. */
import { useHub } from '../hub/hub-context.tsx'
import { useStore } from '../hub/store.ts'
import { StateMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'

export function Banner() {
  const { feed } = useHub()
  const link = useStore(feed.link)
  return link.is === 'lost' && <LostBanner {...link} tryNow={feed.tryNow} />
}

function LostBanner(props: { readonly since: number; readonly nextTryAt: number; tryNow(): void }) {
  const { since, nextTryAt, tryNow } = props
  const seconds = Math.max(0, Math.ceil((nextTryAt - useNow(500)) / 1000))
  return (
    <div className="banner" role="alert">
      <StateMark state="failed" />
      <b>No connection</b>
      <span className="cut grow btext">
        since {clock(since)}. Agents keep running and nothing is lost.{' '}
        {seconds > 0 ? `Next try in ${seconds} s.` : 'Trying again …'}
      </span>
      <button className="btn" onClick={tryNow}>
        Try now
      </button>
    </div>
  )
}
