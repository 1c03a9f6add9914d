/**
 * Nothing moves under the person: a list gets a new order only while pointer and focus are elsewhere. New items appear at
 * the end meanwhile.
 */
import { type PointerEvent, useEffect, useRef, useState } from 'react'

const restMs = 2_000

export function useSteadyOrder<T>(items: readonly T[], keyOf: (item: T) => string) {
  const order = useRef<readonly string[]>([])
  const [heldUntil, setHeldUntil] = useState(0)
  const [, wake] = useState(0)
  const isHeld = heldUntil > performance.now()
  useEffect(() => {
    if (!Number.isFinite(heldUntil) || heldUntil === 0) return
    const timer = setTimeout(() => wake((count) => count + 1), Math.max(0, heldUntil - performance.now()) + 20)
    return () => clearTimeout(timer)
  }, [heldUntil])

  if (!isHeld) order.current = items.map(keyOf)
  const place = (item: T) => {
    const at = order.current.indexOf(keyOf(item))
    return at < 0 ? Number.MAX_SAFE_INTEGER : at
  }
  const hold = () => setHeldUntil(Number.POSITIVE_INFINITY)
  const release = () => setHeldUntil(performance.now() + restMs)
  return {
    items: isHeld ? items.toSorted((one, other) => place(one) - place(other)) : items,
    // A finger leaves as soon as it has tapped.
    onPointerEnter: (event: PointerEvent) => event.pointerType === 'mouse' && hold(),
    onPointerLeave: release,
    onFocus: hold,
    onBlur: release,
  }
}
