/** Keeps the last bytes of a stream of any length. */
export interface Tail {
  add(chunk: Buffer): void
  text(): string
}

export function createTail(maxBytes: number): Tail {
  let ring: Buffer | undefined
  let total = 0

  function text(): string {
    if (!ring) return ''
    if (total <= maxBytes) return ring.toString('utf8', 0, total)
    const oldest = total % maxBytes
    return Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)]).toString('utf8')
  }

  return {
    add(chunk) {
      ring ??= Buffer.alloc(maxBytes)
      const kept = chunk.subarray(-maxBytes)
      const start = (total + chunk.length - kept.length) % maxBytes
      const copied = kept.copy(ring, start)
      kept.copy(ring, 0, copied)
      total += chunk.length
    },
    text,
  }
}
