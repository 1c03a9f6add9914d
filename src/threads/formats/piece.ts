/** One part of a message of another format, with what that format says beyond an entry of a thread. */
import type { EntryBody } from '../../api/thread.ts'

/** The kinds of entries that a message can hold. */
export type Said = Extract<EntryBody, { type: 'prompt' | 'thinking' | 'text' | 'tool-request' | 'tool-result' }>
export type Request = Extract<Said, { type: 'tool-request' }>
export type Result = Extract<Said, { type: 'tool-result' }>

export type Fields = Readonly<Record<string, unknown>>

export interface Piece {
  readonly said: Said
  /** The other fields of its part. */
  readonly part?: Fields | undefined
  /** The other fields of its message. The first piece of a message has them. */
  readonly fields?: Fields | undefined
  /**
   * How the format wrote the piece, where it has several ways. `other`: the part is of a kind that a thread does not
   * have.
   */
  readonly form?: readonly string[] | undefined
  /** The piece was imported in the format that it is written in now. */
  readonly isOfFormat?: boolean
}

/** The part is of a kind that a thread does not have. The entry only names it, and `part` holds it. */
export const other = 'other'

export function isIn(form: string, piece: Piece | undefined): boolean {
  return piece?.form?.includes(form) ?? false
}

/** A part of a kind that a thread does not have, such as a picture. */
export function namedPart(type: 'prompt' | 'text' | 'thinking', name: string, part: Fields): Piece {
  return { said: { type, text: `[${name}]` }, part, form: [other] }
}

/** `undefined` if there is nothing to keep. */
export function orNothing(fields: Fields): Fields | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined
}

export function isOfAgent({ said: { type } }: Piece): boolean {
  return type !== 'prompt' && type !== 'tool-result'
}

export function textIn({ said }: Piece): string {
  return 'text' in said ? said.text : ''
}
