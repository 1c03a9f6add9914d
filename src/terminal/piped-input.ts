/**
 * The hub's input for a program on pipes, until its holder has recorded it. If the connection breaks in between, the
 * holder reports what it has recorded, and the rest is sent again: nothing is lost, and nothing is written twice.
 */
import { HubError } from '../base/hub-error.ts'
import type { InputState, RefusedInput, SequencedInput } from './holder/frames.ts'
import type { HolderConnection } from './holder-connection.ts'
import { maxUnreadBytes } from './holder-connection.ts'

export interface InputOptions {
  /** One more than the number of the previous input; the first is 1. */
  readonly sequence: number
  /** A login or a key: only its length is recorded. */
  readonly secret?: boolean
}

/** `repeated`: this number was recorded before, and nothing was written. */
export type InputOutcome = 'recorded' | 'repeated'

export interface PipedInput {
  readonly state: InputState
  write(text: string, options: InputOptions): Promise<InputOutcome>
  close(): void
  /** Claims the program's input for this connection. Unrecorded input is sent after the holder has answered. */
  claim(connection: HolderConnection): void
  onState(state: InputState): void
  onRefused(refused: RefusedInput): void
  /** Nothing more can be recorded. Unrecorded input is rejected with this reason. */
  end(state: InputState, reason: string): void
}

interface Unrecorded extends SequencedInput {
  readonly outcome: Promise<InputOutcome>
  resolve(outcome: InputOutcome): void
  reject(error: HubError): void
}

/** `onClaimed` is called when the holder has reported its state for the first time, or when the program has ended. */
export function createPipedInput(onClaimed: () => void): PipedInput {
  const unrecorded: Unrecorded[] = []
  let state: InputState = { sequence: 0, unreadBytes: 0, isClosed: false }
  let claimed: HolderConnection | undefined
  let claiming: HolderConnection | undefined
  let isCloseWanted = false
  /** The reason for the first input of a series that is being refused. */
  let refusal: string | undefined
  let endReason: string | undefined

  function updateState(next: InputState): void {
    state = next
    while (unrecorded[0] && unrecorded[0].sequence <= state.sequence) unrecorded.shift()!.resolve('recorded')
  }

  function rejectAll(message: string): void {
    for (const { reject } of unrecorded.splice(0)) reject(new HubError('unavailable', message))
  }

  function whyNot(sequence: number, length: number): HubError | undefined {
    if (endReason !== undefined) return new HubError('unavailable', endReason)
    if (isCloseWanted || state.isClosed) return new HubError('unavailable', 'The program accepts no more input.')
    const next = (unrecorded.at(-1)?.sequence ?? state.sequence) + 1
    if (sequence !== next) {
      return new HubError('conflict', `Input ${sequence} is out of order: the next number is ${next}.`)
    }
    if (length > maxUnreadBytes) {
      return new HubError('too-large', `${length} bytes are too many at once. Send at most ${maxUnreadBytes} bytes.`)
    }
    const unread = unrecorded.reduce((sum, { bytes }) => sum + bytes.length, state.unreadBytes)
    if (unread + length > maxUnreadBytes) {
      return new HubError('busy', `The program has not read the last ${unread} bytes yet. Try again when it reads.`)
    }
    return undefined
  }

  return {
    get state() {
      return state
    },
    async write(text, { sequence, secret: isSecret = false }) {
      if (sequence <= state.sequence) return 'repeated'
      const inFlight = unrecorded.find((each) => each.sequence === sequence)
      if (inFlight) return inFlight.outcome
      const bytes = Buffer.from(text)
      const fault = whyNot(sequence, bytes.length)
      if (fault) throw fault
      const { promise: outcome, resolve, reject } = Promise.withResolvers<InputOutcome>()
      const input = { sequence, bytes, isSecret, outcome, resolve, reject }
      unrecorded.push(input)
      claimed?.writeRecorded(input)
      return outcome
    },
    close() {
      isCloseWanted = true
      claimed?.closeInput()
    },
    claim(connection) {
      claimed = undefined
      claiming = connection
      refusal = undefined
      connection.claimInput()
    },
    onState(next) {
      updateState(next)
      if (!claiming) return
      claimed = claiming
      claiming = undefined
      for (const input of unrecorded) claimed.writeRecorded(input)
      if (isCloseWanted) claimed.closeInput()
      onClaimed()
    },
    onRefused({ sequence, message }) {
      refusal ??= message
      // Later input is refused as well. Its numbers can be used again only after the last one is refused.
      if (sequence !== unrecorded.at(-1)?.sequence) return
      rejectAll(refusal)
      refusal = undefined
    },
    end(last, reason) {
      claimed = undefined
      claiming = undefined
      endReason = reason
      updateState(last)
      rejectAll(reason)
      onClaimed()
    },
  }
}
