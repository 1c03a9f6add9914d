/**
 * The protocol between hub and holder, over the holder's socket. It is versioned, since a holder outlives many hubs:
 * `[length u32][kind u8][payload]`. The length does not count itself, and all numbers are big-endian.
 */
import type { Size } from '../pty/size.ts'

/**
 * Raised only if an older peer could misunderstand. New frame kinds need no new version, since unknown ones are
 * ignored. `hello`, `attach` and `output` keep their form in all versions, so that a hub can show the screen of any
 * holder.
 */
export const protocolVersion = 1

export const frameKind = {
  /** holder → hub, first on every connection: JSON `Hello` */
  hello: 1,
  /** hub → holder: JSON `{from}`; the output from that offset follows, then live output */
  attach: 2,
  /** holder → hub: offset u64, then the bytes as the program wrote them */
  output: 3,
  /** hub → holder: bytes for the program */
  input: 4,
  /** hub → holder: JSON `Size`; holder → hub: JSON `Size & {offset}`, after the change */
  resize: 5,
  /** hub → holder: JSON `{signal}`, for the whole process group of the program */
  signal: 6,
  /** holder → hub: JSON `Exit`; nothing follows */
  exit: 7,
  /** holder → hub: JSON `{message}`; a failure that people should know about, while the program continues */
  fault: 8,
  /** hub → holder: offset u64, then bytes for the program: the answers to its questions up to this offset */
  answer: 9,
  /** holder → hub: JSON `{bytes}`; the terminal has taken that much of the input of this connection */
  taken: 10,
  /** hub → holder: no payload; the program continues where it is, and `exit` says that it was released */
  release: 11,

  // The rest is for programs on pipes. Their holders ignore `input`, `answer` and `resize`.

  /** hub → holder: no payload; from now on only this connection may send input. Answered by `inputState` */
  claimInput: 12,
  /** hub → holder: sequence u64, then bytes for the program, which are recorded first */
  recordedInput: 13,
  /** The same for a login or a key: only the number of bytes is recorded */
  secretInput: 14,
  /** hub → holder: no payload; closes the program's input after everything written before */
  closeInput: 15,
  /** holder → hub: JSON `InputState`, after every change */
  inputState: 16,
  /** holder → hub: JSON `RefusedInput` */
  inputRefused: 17,
  /** hub → holder: JSON `{offset}`; output before the offset may be dropped, output after it may not */
  processed: 18,
} as const

export interface Hello {
  readonly protocol: number
  /** The version of the package that started the holder. */
  readonly version: string
  readonly pid: number
  readonly childPid: number
  readonly size: Size
  /** The offset of the oldest byte that is still kept. */
  readonly firstOffset: number
  /** The offset of the next byte. */
  readonly offset: number
  /** Questions of the program to its terminal are answered up to this offset. */
  readonly answered: number
  /** The message of the last `fault`. */
  readonly fault?: string
  /**
   * For programs on pipes. Only the answer to `claimInput` is final: an earlier hub's input may still be on its way.
   */
  readonly input?: InputState
}

/** The hub numbers its writes to pipes: 1, 2, 3 and so on. */
export interface InputState {
  /** The last recorded number; 0 if there is none. */
  readonly sequence: number
  /** Recorded, and not yet taken by the program's pipe. */
  readonly unreadBytes: number
  /** The input of the program is closed, or the program no longer reads it. */
  readonly isClosed: boolean
}

export interface SequencedInput {
  readonly sequence: number
  readonly bytes: Buffer
  readonly isSecret: boolean
}

/** This input, and all later input that was on its way, is neither recorded nor written. */
export interface RefusedInput {
  readonly sequence: number
  readonly message: string
}

export interface Frame {
  readonly kind: number
  readonly payload: Buffer
}

/** No valid frame is longer: the holder sends output in pieces. */
const maxFrameBytes = 16 * 1024 * 1024
/** Frames with JSON hold a few numbers and messages. */
const maxJsonBytes = 64 * 1024
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

/** For `output` and `answer`. Input has its sequence number in place of the offset. */
export function encodeAt(kind: number, offset: number, bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + offsetBytes + bytes.length)
  frame.writeUInt32BE(1 + offsetBytes + bytes.length, 0)
  frame.writeUInt8(kind, 4)
  frame.writeBigUInt64BE(BigInt(offset), headerBytes)
  bytes.copy(frame, headerBytes + offsetBytes)
  return frame
}

export function decodeAt(payload: Buffer): { readonly offset: number; readonly bytes: Buffer } {
  const offset = Number(payload.readBigUInt64BE(0))
  if (!Number.isSafeInteger(offset)) throw new Error('An offset is too large.')
  return { offset, bytes: payload.subarray(offsetBytes) }
}

/** The sides check what it contains; see `frame-contents.ts`. */
export function decodeJson(payload: Buffer): unknown {
  if (payload.length > maxJsonBytes) throw new Error(`A frame with ${payload.length} bytes of JSON is invalid.`)
  return JSON.parse(payload.toString('utf8'))
}

/** Splits a stream of chunks into frames. Throws on an invalid frame. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  /** Joined only when a frame is complete, since a long frame comes in many chunks. */
  let chunks: Buffer[] = []
  let size = 0
  let needed = headerBytes - 1
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    needed = headerBytes - 1
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0)
      if (length < 1 || length > maxFrameBytes) throw new Error(`A frame of ${length} bytes is invalid.`)
      needed = 4 + length
      if (rest.length < needed) break
      const frame = { kind: rest.readUInt8(4), payload: rest.subarray(headerBytes, needed) }
      rest = rest.subarray(needed)
      needed = headerBytes - 1
      onFrame(frame)
    }
    chunks = rest.length > 0 ? [rest] : []
    size = rest.length
  }
}
