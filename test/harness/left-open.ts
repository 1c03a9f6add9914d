/** Resources that tests have opened. If a test times out before it closes one, it is closed after the last test of the file. */
const open = new Set<() => Promise<void>>()

/** Returns a function to call when the resource is closed. */
export function noteOpen(close: () => Promise<void>): () => void {
  open.add(close)
  return () => void open.delete(close)
}

export async function closeLeftOpen(): Promise<void> {
  for (const close of open) await close()
}
