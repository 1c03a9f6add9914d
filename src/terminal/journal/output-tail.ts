/** The end of the output in memory, so that a reader that keeps up needs no disk access. */
export interface OutputTail {
  /** The offset of the oldest byte in memory. */
  readonly start: number
  /** The offset of the next byte. */
  readonly end: number
  /** Appends output. A gap before `offset` means that output was lost. */
  add(offset: number, bytes: Buffer): void
  /** At most `maxBytes` from an offset that is not before `start`. */
  read(from: number, maxBytes: number): Buffer
}

export function createOutputTail(offset: number, maxBytes: number): OutputTail {
  let pieces: Buffer[] = []
  let start = offset
  let end = offset
  return {
    get start() {
      return start
    },
    get end() {
      return end
    },
    add(at, bytes) {
      if (at !== end) {
        pieces = []
        start = at
      }
      pieces.push(bytes)
      end = at + bytes.length
      while (pieces.length > 1 && end - start - pieces[0]!.length >= maxBytes) start += pieces.shift()!.length
    },
    read(from, limit) {
      const found: Buffer[] = []
      let at = end
      for (let index = pieces.length - 1; index >= 0 && at > from; index--) {
        const piece = pieces[index]!
        at -= piece.length
        found.unshift(at < from ? piece.subarray(from - at) : piece)
      }
      return Buffer.concat(found).subarray(0, limit)
    },
  }
}
