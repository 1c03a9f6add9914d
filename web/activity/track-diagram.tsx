/** The sessions of a turn as tracks. A call of another session is a crossover to its track and back. */
import type { Session } from '../../src/api/session.ts'
import { PageLink } from '../app/link.tsx'
import { addressOf } from '../parts/session-state.ts'
import { tookText } from '../parts/time.ts'
import type { Axis } from './time-axis.ts'
import type { Waterfall } from './waterfall.ts'

const trackPx = 40
const firstPx = 22
/** How far a crossover runs from one track to the other. */
const slopePx = 26

export function TrackNames({
  tracks,
  sessions,
}: {
  readonly tracks: Waterfall['tracks']
  readonly sessions: readonly Session[]
}) {
  return (
    <div className="tracks">
      {tracks.map(({ session: id, name }, index) => {
        const session = sessions.find((each) => each.id === id)
        return (
          <p key={id} style={{ '--track': index } as object}>
            {session ? (
              <PageLink className="w6 cut" to={{ is: 'session', name: addressOf(session, sessions) }}>
                {name}
              </PageLink>
            ) : (
              <span className="w6 cut">{name}</span>
            )}
            <span className="t3 s12">{session?.template}</span>
          </p>
        )
      })}
    </div>
  )
}

export interface TrackDiagramProps {
  readonly waterfall: Waterfall
  readonly axis: Axis
  readonly width: number
}

export function TrackDiagram({ waterfall, axis, width }: TrackDiagramProps) {
  const { tracks, crossovers } = waterfall
  const x = (ms: number) => Math.round(axis.at(ms) * width * 10) / 10
  const y = (track: number) => firstPx + track * trackPx
  const height = tracks.length * trackPx + 4
  return (
    <svg
      className="dia"
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      fill="none"
      role="img"
      aria-label={`Track diagram: ${inWords(waterfall)}`}
    >
      <path d={tracks.map((_, index) => `M0 ${y(index)}H${width}`).join('')} stroke="var(--line2)" strokeWidth="2" />
      {tracks.map(({ session, worked }, index) => {
        const visits = crossovers.filter(({ toTrack }) => toTrack === index)
        const isDrawn = (from: number, to: number) => visits.some((visit) => visit.from <= from && visit.to >= to)
        const own = worked.filter(({ from, to }) => !isDrawn(from, to))
        return (
          <path
            key={session}
            d={own.map(({ from, to }) => `M${x(from)} ${y(index)}H${Math.max(x(to), x(from) + 3)}`).join('')}
            stroke="var(--go)"
            strokeWidth="5"
          />
        )
      })}
      {crossovers.map(({ fromTrack, toTrack, from, to }) => {
        const slope = Math.min(slopePx, (x(to) - x(from)) / 3)
        return (
          <path
            key={`${from} ${toTrack}`}
            d={`M${x(from)} ${y(fromTrack)}L${x(from) + slope} ${y(toTrack)}H${x(to) - slope}L${x(to)} ${y(fromTrack)}`}
            stroke="var(--go)"
            strokeWidth="5"
            strokeLinejoin="round"
          />
        )
      })}
      {tracks.flatMap(({ session, held, denied }, index) => [
        ...held.map(({ from, to }) => <Held key={`${session} ${from}`} x={x(from)} to={x(to)} y={y(index)} />),
        ...denied.map((at, number) => <Denied key={`${session} denied ${number}`} x={x(at)} y={y(index)} />),
      ])}
    </svg>
  )
}

function Held({ x, to, y }: { readonly x: number; readonly to: number; readonly y: number }) {
  const mark = Math.max(x, 7)
  return (
    <>
      <path d={`M${x} ${y}H${Math.max(to, x + 4)}`} stroke="var(--surface)" strokeWidth="7" />
      <path d={`M${x} ${y}H${Math.max(to, x + 4)}`} stroke="var(--wait-lamp)" strokeWidth="7" strokeDasharray="4 3" />
      <path d={`M${mark} ${y}V${y - 12}`} stroke="var(--text3)" strokeWidth="1.5" />
      <path d={`M${mark} ${y - 21}l6 6-6 6-6-6z`} fill="var(--wait-lamp)" stroke="var(--wait)" strokeWidth="1.2" />
    </>
  )
}

function Denied({ x, y }: { readonly x: number; readonly y: number }) {
  return (
    <>
      <path d={`M${x} ${y}v14`} stroke="var(--text3)" strokeWidth="1.5" />
      <rect
        x={x - 5}
        y={y + 9}
        width="10"
        height="10"
        rx="1"
        fill="var(--surface)"
        stroke="var(--stop)"
        strokeWidth="1.5"
      />
      <path d={`M${x - 2.5} ${y + 14}h5`} stroke="var(--stop)" strokeWidth="1.5" />
    </>
  )
}

function inWords({ tracks, crossovers }: Waterfall): string {
  const asked = crossovers.map(
    ({ fromTrack, toTrack, from, to }) =>
      `${tracks[fromTrack]?.name} asks ${tracks[toTrack]?.name} after ${tookText(from)} and has its answer after ${tookText(to)}`,
  )
  const held = tracks.flatMap(({ name, held: waits }) =>
    waits.map(({ from, to }) => `${name} is held after ${tookText(from)} for ${tookText(to - from)}`),
  )
  const denied = tracks.flatMap(({ name, denied: calls }) =>
    calls.map((at) => `a call of ${name} is denied after ${tookText(at)}`),
  )
  const told = [...asked, ...held, ...denied]
  return told.length === 0 ? `${tracks.map(({ name }) => name).join(', ')} at work` : told.join('; ')
}
