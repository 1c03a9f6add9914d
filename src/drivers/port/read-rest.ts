/** After the stop of a program: its last output is still read, but nobody waits for a long backlog. */
import { setTimeout as sleep } from 'node:timers/promises'

/** More than any program prints while it ends. */
const shortBytes = 64 * 1024
const shortMs = 2_000

/** `unreadBytes`: now. `leave` stops reading. Resolves when the rest has been read, or is given up. */
export async function readRest(reading: Promise<void>, unreadBytes: () => number, leave: () => void): Promise<void> {
  if (unreadBytes() <= shortBytes) await Promise.race([reading, sleep(shortMs, undefined, { ref: false })])
  leave()
}

/** For people. `undefined`: everything was read. */
export function unreadNote(bytes: number): string | undefined {
  if (bytes <= 0) return undefined
  return `The session was stopped before the hub had read the last ${bytes} bytes of its output. They are in its log, but not in its thread.`
}
