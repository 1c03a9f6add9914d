/** The parts of a reply, independent of the provider's format. */
import type { OfferedTool } from './conversation.ts'

export type Part = TextPart | CallPart

export interface TextPart {
  readonly is: 'thought' | 'text'
  /** The pieces in which the text is streamed. */
  readonly deltas: readonly string[]
}

export interface CallPart {
  readonly is: 'call'
  readonly id: string
  readonly tool: OfferedTool
  readonly input: object
}

/** Splits text into pieces, as a real model sends it. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/gu) ?? []
}

export function joinText(parts: readonly Part[], is: TextPart['is']): string {
  return parts.flatMap((part) => (part.is === is ? part.deltas : [])).join('')
}
