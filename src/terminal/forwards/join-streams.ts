/** Passes everything between two connections. When one ends or fails, so does the other. */
import type { Duplex } from 'node:stream'

export function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => to.end())
  }
}
