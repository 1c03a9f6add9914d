/**
 * Parses large messages in a worker: decoding and parsing the text of a large file stalls the main thread two to ten
 * times as long as taking over the result.
 */
import { toRawNumber } from '../base/exact-numbers.ts'
import { siblingModule } from '../base/sibling-module.ts'
import { createWorker } from '../base/worker.ts'

export interface ParsedLarge {
  readonly value: unknown
  readonly rawNumbers: readonly RawNumberPlace[]
}

export interface RawNumberPlace {
  readonly holder: object
  readonly key: string
  readonly source: string
}

/** Its text, the parsed value and the copy to send take up to four bytes for each of the longest message. */
const worker = createWorker<Uint8Array>({ module: siblingModule('parse-worker', import.meta.url), memoryMb: 512 })

/**
 * Takes over the memory of the bytes, which must be theirs alone. Rejects with the reason if the message is over a
 * limit, or is not JSON.
 */
export async function parseLarge(bytes: Buffer): Promise<unknown> {
  const memory = bytes.buffer as ArrayBuffer
  const question = new Uint8Array(memory, bytes.byteOffset, bytes.byteLength)
  const { value, rawNumbers } = await worker.ask<ParsedLarge>(question, { transfer: [memory] })
  // The copy keeps which object is which, so the holders are objects of the value.
  for (const { holder, key, source } of rawNumbers) {
    Object.defineProperty(holder, key, {
      value: toRawNumber(source),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return value
}
