/** The recording of a terminal as a track: where the session worked and was held, and the moment that is shown. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { Session } from '../../../src/api/session.ts'
import { isOver } from '../../../src/api/session-status.ts'
import { useIsLost, useLive } from '../../hub/hub-context.tsx'
import { type ReadChanges, activitySpans, readChanges } from '../../parts/activity-spans.ts'
import { Icon } from '../../parts/icons.tsx'
import { DecisionMark } from '../../parts/marks.tsx'
import { useNow } from '../../parts/use-now.ts'
import type { PlayerState } from './player.ts'
import './recording.css'

export interface ScrubberProps {
  readonly session: Session
  /** `undefined`: the terminal is live. */
  readonly state: PlayerState | undefined
  /** In milliseconds since 1970. */
  onSeek(at: number): void
  /** `from`: where to start if the terminal is live. */
  onPlay(from: number): void
  onPause(): void
  onLive(): void
}

const width = 480
/** The track is stretched, but not the strokes on it. */
const fixed = 'non-scaling-stroke'
const stepsMs: Readonly<Record<string, number>> = {
  ArrowLeft: -5_000,
  ArrowRight: 5_000,
  ArrowDown: -5_000,
  ArrowUp: 5_000,
  PageDown: -60_000,
  PageUp: 60_000,
}

export function Scrubber({ session, state, onSeek, onPlay, onPause, onLive }: ScrubberProps) {
  const isLost = useIsLost()
  const now = useNow(1_000)
  const track = useRef<HTMLDivElement>(null)
  const hasEnded = isOver(session.status)
  const begin = Date.parse(session.created_at)
  const end = Math.max(begin + 1_000, hasEnded ? Date.parse(session.updated_at) : now)
  const at = clamp(state?.at ?? end)
  const x = (time: number) => ((clamp(time) - begin) / (end - begin)) * (width - 4)

  function clamp(time: number): number {
    return Math.max(begin, Math.min(end, time))
  }
  function seekTo({ clientX }: PointerEvent): void {
    const { left, width: wide } = track.current!.getBoundingClientRect()
    onSeek(clamp(begin + ((clientX - left) / wide) * (end - begin)))
  }
  function onPointerDown(event: PointerEvent<HTMLElement>): void {
    if (isLost) return
    event.currentTarget.setPointerCapture(event.pointerId)
    seekTo(event)
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = stepsMs[event.key]
    if (isLost || (step === undefined && event.key !== 'Home' && event.key !== 'End')) return
    event.preventDefault()
    if (event.key === 'End' || at + (step ?? 0) > end) onLive()
    else onSeek(event.key === 'Home' ? begin : clamp(at + step!))
  }
  const isPlaying = state?.isPlaying === true
  return (
    <div className="scrub" role="group" aria-label="Recording">
      <button
        className="icon-btn sm"
        aria-label={isPlaying ? 'Pause the recording' : 'Play the recording'}
        disabled={isLost}
        onClick={() => (isPlaying ? onPause() : onPlay(state ? at : begin))}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} size={12} />
      </button>
      <span className="num s12">{timeText(at - begin)}</span>
      <div
        ref={track}
        className="scrub-t"
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={0}
        aria-valuemax={Math.round((end - begin) / 1000)}
        aria-valuenow={Math.round((at - begin) / 1000)}
        aria-valuetext={state ? `${timeText(at - begin)} of ${timeText(end - begin)}` : hasEnded ? 'End' : 'Live'}
        aria-disabled={isLost}
        onPointerDown={onPointerDown}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seekTo(event)}
        onKeyDown={onKeyDown}
      >
        <svg viewBox={`0 0 ${width} 20`} preserveAspectRatio="none" aria-hidden="true">
          <path d={`M0 10H${width}`} stroke="var(--term-dim)" strokeOpacity=".5" strokeWidth="2" vectorEffect={fixed} />
          <Spans session={session} now={now} x={x} />
          <path d={`M${x(at) + 2} 2v16`} stroke="var(--term-bright)" strokeWidth="3" vectorEffect={fixed} />
        </svg>
      </div>
      <button className="live" aria-pressed={state === undefined} onClick={onLive}>
        {state === undefined && !hasEnded && <DecisionMark name="running" size={10} />}
        {hasEnded ? 'End' : 'Live'}
      </button>
    </div>
  )
}

interface SpansProps {
  readonly session: Session
  readonly now: number
  x(time: number): number
}

function Spans({ session, now, x }: SpansProps) {
  const { value } = useLive<ReadChanges>(`activity:${session.id}`, ({ call }) => ({
    uris: ['resource://sessions'],
    everyMs: 5_000,
    async read(signal, before) {
      const start = { session: session.id, ...(before?.cursor !== undefined && { cursor: before.cursor }) }
      const { changes, cursor } = await readChanges(call, start, signal)
      return { changes: [...(before?.changes ?? []), ...changes], cursor: cursor ?? before?.cursor }
    },
  }))
  return activitySpans(session, value?.changes ?? [], now).map(({ is, from, to }) => (
    <path
      key={from}
      d={`M${x(from)} 10H${Math.max(x(to), x(from) + 1)}`}
      vectorEffect={fixed}
      {...(is === 'working'
        ? { stroke: 'var(--term-green)', strokeWidth: 4 }
        : { stroke: 'var(--term-yellow)', strokeWidth: 6, strokeDasharray: '3 2' })}
    />
  ))
}

/** `38:04`, `2:12:09` */
function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}
