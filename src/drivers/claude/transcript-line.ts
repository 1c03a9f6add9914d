/** The lines of Claude Code's transcript that are not messages, and how a turn ends there. */
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'
import type { Reading } from './read-message.ts'
import { isInterruption, nextTurn, readAssistant, readingSchema, readUser, turnUsage } from './read-message.ts'
import { assistantLineSchema, userLineSchema } from './recorded-line.ts'
import { failureOf } from './turn-end.ts'

const lineSchema = z.discriminatedUnion('type', [
  assistantLineSchema,
  userLineSchema.extend({
    permissionDecision: z.object({ decision: z.string() }).optional(),
  }),
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    uuid: z.string(),
    timestamp: z.string().optional(),
    isSidechain: z.boolean().optional(),
  }),
  z.object({ type: z.literal('permission-mode'), permissionMode: z.string() }),
  z.object({
    type: z.literal('attachment'),
    isSidechain: z.boolean().optional(),
    timestamp: z.string().optional(),
    /** A prompt that a person typed while Claude Code worked. */
    attachment: z.object({
      type: z.literal('queued_command'),
      prompt: z.string(),
      source_uuid: z.string(),
      humanTurn: z.literal(true),
    }),
  }),
])

/** The state that is kept from line to line. */
export const transcriptStateSchema = z.object({
  reading: readingSchema,
  /** How far the turn has come, so that its end can be explained. */
  turn: z.enum(['none', 'answered', 'tool', 'failed']),
  /** Claude Code's error message, if the turn failed. */
  failure: z.string().optional(),
  permissionMode: z.string().optional(),
})
export type TranscriptState = z.output<typeof transcriptStateSchema>

export interface ReadLine {
  readonly state: TranscriptState
  readonly entries: readonly NewEntry[]
  /** The calls whose tool has run, as the line says. */
  readonly ran: readonly string[]
}

/** A line that does not matter, or that another version of Claude Code writes, changes nothing. */
export function readTranscriptLine(text: string, state: TranscriptState): ReadLine {
  const line = parse(text)
  const unchanged = { state, entries: [], ran: [] }
  switch (line?.type) {
    case 'assistant': {
      const { reading, entries } = readAssistant(line, state.reading)
      const failure = entries.find((entry) => entry.type === 'error')
      const turn = entries.length === 0 ? state.turn : failure ? 'failed' : 'answered'
      return { state: { ...state, reading, turn, ...(failure && { failure: failure.message }) }, entries, ran: [] }
    }
    case 'user': {
      if (isInterruption(line)) return endTurn(state, line.uuid, line.timestamp, 'It was interrupted.')
      const { reading, entries } = readUser(line, state.reading)
      const results = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.callId] : []))
      const turn = entries.length === 0 ? state.turn : results.length > 0 ? 'tool' : 'answered'
      const ran = line.permissionDecision?.decision === 'accept' ? results : []
      return { state: { ...state, reading, turn }, entries, ran }
    }
    case 'attachment': {
      const { attachment, timestamp, isSidechain = false } = line
      if (isSidechain) return unchanged
      const at = timestamp ?? new Date().toISOString()
      return {
        ...unchanged,
        entries: [{ type: 'prompt', key: attachment.source_uuid, at, text: attachment.prompt }],
      }
    }
    case 'system': {
      const { subtype, uuid, timestamp, isSidechain = false } = line
      if (subtype !== 'turn_duration' || isSidechain) return unchanged
      // Claude Code writes this line also after an interruption, which has ended the turn before.
      return endTurn(state, uuid, timestamp, undefined)
    }
    case 'permission-mode':
      return { ...unchanged, state: { ...state, permissionMode: line.permissionMode } }
    case undefined:
      return unchanged
  }
}

function parse(text: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function endTurn(
  state: TranscriptState,
  key: string,
  timestamp: string | undefined,
  interruption: string | undefined,
): ReadLine {
  if (state.turn === 'none') return { state, entries: [], ran: [] }
  const at = timestamp ?? new Date().toISOString()
  const end = { type: 'complete', key, at, usage: turnUsage(state.reading), ...outcome(state, interruption) } as const
  return { state: { ...state, turn: 'none', reading: closed(state.reading) }, entries: [end], ran: [] }
}

function outcome({ turn, failure }: TranscriptState, interruption: string | undefined) {
  if (interruption !== undefined) return { status: 'interrupted', reason: interruption } as const
  if (turn === 'failed')
    return { status: 'failed', reason: failureOf(failure ?? 'The model could not be reached.') } as const
  // A turn that ends with a tool has no answer.
  if (turn === 'tool') return { status: 'interrupted', reason: 'The policy or a person ended the turn.' } as const
  return { status: 'completed' } as const
}

function closed(reading: Reading): Reading {
  return { ...nextTurn(reading), calls: {} }
}
