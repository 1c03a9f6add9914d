/** A format of another provider. Its messages and the entries of a thread are turned into each other piece by piece. */
import type { FormatName } from '../../api/thread.ts'
import type { Piece } from './piece.ts'

export interface Format {
  readonly name: FormatName
  /** Grows when the meaning of `extra` changes. */
  readonly version: number
  /** Who answers in a thread that was imported. */
  readonly provider: string
  /** The field of a request that has the messages. */
  readonly list: string
  /** The messages in a file that the agent of this provider keeps, from its lines. */
  readonly fromLines?: (lines: readonly unknown[]) => readonly unknown[]
  /** The pieces of a message. None: it says nothing in a thread. `where` names the message in errors. */
  read(message: unknown, where: string, reading: Reading): readonly Piece[]
  /** Whether a piece continues the message. Only asked about pieces that were not imported. */
  continues(message: readonly Piece[], piece: Piece): boolean
  /** `undefined`: the format can hold none of it. */
  write(message: readonly Piece[], leaveOut: LeaveOut): object | undefined
  /** The characters that the provider takes in the id of a call, and the most of them. */
  readonly callIds: { readonly pattern: RegExp; readonly most: number }
}

/** The state that is kept from message to message. */
export interface Reading {
  /** The name of the tool that a call ran. */
  nameOf(callId: string): string | undefined
  /** The id of the oldest call of this tool without a result. */
  openCall(name: string): string | undefined
  /** An id for a call without one. */
  newCallId(): string
}

/** Names something that the format cannot hold. */
export type LeaveOut = (what: string, piece?: Piece) => void
