/** How much CPU time the bytes of a program take to draw. It depends on the bytes: 60 nanoseconds each for plain text, 30,000 at worst. */
export interface DrawingRate {
  readonly totalMs: number
  /** Of the last bytes. */
  readonly msPerByte: number
  add(bytes: number, ms: number): void
}

/** Plain text. Used until something was measured. */
const assumedMsPerByte = 0.00006
/** The clock of the CPU time moves in steps of up to four milliseconds. */
const windowMs = 20
const windowBytes = 1024 * 1024

export function createDrawingRate(): DrawingRate {
  let totalMs = 0
  let msPerByte = assumedMsPerByte
  let window = { bytes: 0, ms: 0 }
  return {
    get totalMs() {
      return totalMs
    },
    get msPerByte() {
      return msPerByte
    },
    add(bytes, ms) {
      totalMs += ms
      window.bytes += bytes
      window.ms += ms
      if (window.ms < windowMs && window.bytes < windowBytes) return
      msPerByte = Math.max(window.ms / Math.max(1, window.bytes), assumedMsPerByte)
      window = { bytes: 0, ms: 0 }
    },
  }
}
