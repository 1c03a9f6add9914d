/**
 * Loads the terminal when it is needed, or earlier. A lazy component of React would show its fallback for 300 ms at
 * least, also if it is loaded already.
 */
import { useEffect, useState } from 'react'
import type TerminalPane from './terminal-pane.tsx'

let pane: typeof TerminalPane | undefined

export async function loadTerminalPane(): Promise<typeof TerminalPane> {
  pane ??= (await import('./terminal-pane.tsx')).default
  return pane
}

/** `undefined` while it is loading. */
export function useTerminalPane(): typeof TerminalPane | undefined {
  const [loaded, setLoaded] = useState(() => pane)
  useEffect(() => {
    if (loaded) return
    loadTerminalPane().then(
      (found) => setLoaded(() => found),
      (error: unknown) =>
        // For the page to show, as with any other failed render.
        setLoaded(() => {
          throw error
        }),
    )
  }, [loaded])
  return loaded
}
