/** The lower left part of the real screen of a session, drawn small. It is read while it is in sight, once a second at most. */
import { useEffect, useRef, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useIsLost, useLive } from '../hub/hub-context.tsx'
import { type DrawnSize, type Screen, drawScreen } from './draw-screen.ts'

export interface ThumbnailProps {
  readonly session: Session
  readonly height: number
  /** The size of the letters. */
  readonly letters?: number
}

export function Thumbnail({ session, height, letters = 7 }: ThumbnailProps) {
  const frame = useRef<HTMLSpanElement>(null)
  const [isInSight, setIsInSight] = useState(false)
  const [size, setSize] = useState<DrawnSize>()
  useEffect(() => {
    const inSight = new IntersectionObserver(([entry]) => setIsInSight(entry?.isIntersecting ?? false))
    // Reading the size of the canvas at each draw would force a layout of the whole page.
    const resized = new ResizeObserver(([entry]) => setSize(entry?.contentRect))
    for (const observer of [inSight, resized]) observer.observe(frame.current!)
    return () => [inSight, resized].forEach((observer) => observer.disconnect())
  }, [])
  return (
    <span className="thumb" style={{ height }} aria-hidden="true" ref={frame}>
      {isInSight && size && session.terminal && <ScreenCanvas session={session} letters={letters} size={size} />}
    </span>
  )
}

const everyMs = 1_000

interface ScreenCanvasProps {
  readonly session: Session
  readonly letters: number
  readonly size: DrawnSize
}

function ScreenCanvas({ session, letters, size }: ScreenCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const isLost = useIsLost()
  // The screen of an ended session does not change.
  const uris = isOver(session.status) ? [] : [`resource://sessions/${session.id}/screen`]
  const { value: screen } = useLive<Screen>(`screen:${session.id}`, ({ call }) => ({
    uris,
    everyMs,
    read: (signal) => call<Screen>('read_screen', { session: session.id, include_attributes: true }, signal),
  }))
  useEffect(() => {
    if (screen && canvas.current) drawScreen(canvas.current, screen, size, letters)
  }, [screen, letters, size])
  return <canvas className={isLost ? 'stale' : ''} ref={canvas} />
}
