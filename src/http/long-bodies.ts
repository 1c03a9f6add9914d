/**
 * The long bodies of an agent take their turns: parsing one takes time, and an agent may send them without end. After each,
 * the rest of the hub has its turn.
 */
import { HubError } from '../base/hub-error.ts'
import { createPace } from '../base/pace.ts'
import type { Principal } from '../base/principal.ts'
import type { Serial } from '../base/serial.ts'
import { createSerial } from '../base/serial.ts'

interface Turns {
  /** Of the bodies that wait. */
  bytes: number
  readonly oneByOne: Serial
  readonly pace: (startedAt: number) => Promise<void>
}

/** A shorter one is parsed in less than a millisecond. */
const shortLength = 8 * 1024
/** A single body may exceed it. */
const mostWaitingBytes = 32 * 1024 * 1024
const turnsOf = new Map<string, Turns>()

/** The part of `work` before its first wait is what takes time. */
export async function inTurn<Result>(
  { role, tokenId }: Principal,
  { length }: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (role !== 'agent' || length <= shortLength) return work()
  const turns = turnsOf.get(tokenId) ?? { bytes: 0, oneByOne: createSerial(), pace: createPace() }
  if (turns.bytes >= mostWaitingBytes) {
    throw new HubError(
      'busy',
      `Messages of this session with ${turns.bytes} bytes wait for their turn. Try again later.`,
    )
  }
  turns.bytes += length
  turnsOf.set(tokenId, turns)
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  void turns.oneByOne(async () => {
    const startedAt = performance.now()
    Promise.try(work).then(resolve, reject)
    await turns.pace(startedAt)
    turns.bytes -= length
    if (turns.bytes === 0) turnsOf.delete(tokenId)
  })
  return promise
}
