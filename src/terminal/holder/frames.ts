/**
 * What hub and holder say to each other over the holder's socket. Versioned, since a holder outlives many hubs:
 * `[length u32][kind u8][payload]`, the length without itself, all numbers big-endian.
 */

/**
 * Raised only when an older peer could misunderstand; new kinds of frames need no raise, unknown ones are ignored.
 * `hello`, `attach` and `output` keep their form in all versions, so that a holder of any age can be shown.
 */
export const protocolVersion = 1

export const frameKind = {
  /** holder → hub, first on every connection: JSON `Hello` */
  hello: 1,
  /** hub → holder: JSON `{from}`; output follows from that offset, and then live */
  attach: 2,
  /** holder → hub: offset u64, then bytes as the program wrote them */
  output: 3,
  /** hub → holder: bytes for the program */
  input: 4,
  /** hub → holder: JSON `Size`; holder → hub: JSON `Size & {offset}`, once it is so */
  resize: 5,
  /** hub → holder: JSON `{signal}`, for the whole process group of the program */
  signal: 6,
  /** holder → hub: JSON `Exit`; nothing follows */
  exit: 7,
  /** holder → hub: JSON `{message}`; something failed that a person should know, the program goes on */
  fault: 8,
  /** hub → holder: offset u64, then bytes for the program: what it asked up to this offset is answered by them */
  answer: 9,
  /** holder → hub: JSON `{bytes}`; so much of the input sent over this connection has been taken by the terminal */
  taken: 10,
} as const

export interface Size {
  readonly cols: number
  readonly rows: number
}

export interface Hello {
  readonly protocol: number
  /** of the package the holder was started from */
  readonly version: string
  readonly pid: number
  readonly childPid: number
  readonly size: Size
  /** The oldest byte still kept. */
  readonly firstOffset: number
  /** Where the next byte will stand. */
  readonly offset: number
  /** What the program asked its terminal up to here has been answered. */
  readonly answered: number
  /** As told by the last `fault`. */
  readonly fault?: string
}

export interface Exit {
  readonly offset: number
  readonly code: number | null
  readonly signal: string | null
  /** Where neither tells what happened. */
  readonly reason?: string
}

export interface Frame {
  readonly kind: number
  readonly payload: Buffer
}

/** No honest frame is longer: the holder sends output in pieces. */
const maxFrameBytes = 16 * 1024 * 1024
const headerBytes = 5
const offsetBytes = 8

export function encodeFrame(kind: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.writeUInt32BE(payload.length + 1, 0)
  frame.writeUInt8(kind, 4)
  payload.copy(frame, headerBytes)
  return frame
}

export function encodeJson(kind: number, value: object): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)))
}

/** For `output` and `answer`. */
export function encodeAt(kind: number, offset: number, bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + offsetBytes + bytes.length)
  frame.writeUInt32BE(1 + offsetBytes + bytes.length, 0)
  frame.writeUInt8(kind, 4)
  frame.writeBigUInt64BE(BigInt(offset), headerBytes)
  bytes.copy(frame, headerBytes + offsetBytes)
  return frame
}

export function decodeAt(payload: Buffer): { readonly offset: number; readonly bytes: Buffer } {
  return { offset: Number(payload.readBigUInt64BE(0)), bytes: payload.subarray(offsetBytes) }
}

/** Between hub and holder alone, so that its form is known by its kind. */
export function decodeJson(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'))
}

/** Cuts a stream of chunks into frames, however they were split on the way. Throws on what cannot be a frame. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0)
      if (length < 1 || length > maxFrameBytes) throw new Error(`a frame of ${length} bytes is none of ours`)
      if (rest.length < 4 + length) return
      const frame = { kind: rest.readUInt8(4), payload: rest.subarray(headerBytes, 4 + length) }
      rest = rest.subarray(4 + length)
      onFrame(frame)
    }
  }
}
