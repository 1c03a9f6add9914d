/** The screen of the recording, in place of the live one. */
import { useEffect, useRef } from 'react'
import { useHub } from '../../hub/hub-context.tsx'
import { createView, type View } from '../terminal/view.ts'
import { type Player, createPlayer } from './player.ts'

export interface ReplayProps {
  readonly session: string
  /** In milliseconds since 1970. */
  readonly from: number
  readonly plays: boolean
  readonly fontSize: number
  onOpen(opened: { readonly player: Player; readonly view: View } | undefined): void
  onEnd(): void
}

export function Replay({ session, from, plays, fontSize, onOpen, onEnd }: ReplayProps) {
  const { call } = useHub()
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef({ from, plays, fontSize, onOpen, onEnd })
  latest.current = { from, plays, fontSize, onOpen, onEnd }
  useEffect(() => {
    using opening = new DisposableStack()
    const view = opening.use(createView(place.current!, latest.current.fontSize))
    view.terminal.options.disableStdin = true
    view.terminal.options.cursorBlink = false
    const observer = new ResizeObserver(() => view.arrange())
    observer.observe(place.current!)
    opening.defer(() => observer.disconnect())
    const player = opening.use(
      createPlayer({ call, session, view, from: latest.current.from, onEnd: () => latest.current.onEnd() }),
    )
    if (latest.current.plays) player.play()
    latest.current.onOpen({ player, view })
    const opened = opening.move()
    return () => {
      opened.dispose()
      latest.current.onOpen(undefined)
    }
  }, [call, session])
  return <div className="tplace replay" ref={place} />
}
