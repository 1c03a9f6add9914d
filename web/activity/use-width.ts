/** The width of an element, which follows the window. */
import { type RefObject, useLayoutEffect, useState } from 'react'

export function useWidth(element: RefObject<HTMLElement | null>, first: number): number {
  const [width, setWidth] = useState(first)
  useLayoutEffect(() => {
    const shown = element.current
    if (!shown) return
    const observer = new ResizeObserver(() => setWidth(shown.clientWidth || first))
    observer.observe(shown)
    return () => observer.disconnect()
  }, [element, first])
  return width
}
