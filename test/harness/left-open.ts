/** What a test has opened: it closes it itself, unless it runs out of time. Then it goes with the last test of its file. */
const open = new Set<() => Promise<void>>()

/** Returns the way to say that it is closed. */
export function noteOpen(close: () => Promise<void>): () => void {
  open.add(close)
  return () => void open.delete(close)
}

export async function closeLeftOpen(): Promise<void> {
  for (const close of open) await close()
}
