/** Ends a turn that was cut when an earlier hub was stopped or killed, so that the thread says what is known. */
import type { NewEntry } from '../../api/thread.ts'
import type { ThreadWriter } from '../port/thread-writer.ts'
import type { PartialEntry } from './partial-text.ts'
import { readPartialText, removePartialText } from './partial-text.ts'

/** The start of the keys of this driver. Entries of other providers are not part of its turns. */
export const keyPrefix = 'turn:'

export const cutReason =
  'The hub was stopped or killed in the middle of this turn. Everything that had arrived is in the thread. Prompt the agent to go on.'
const unknownOutcome =
  'The hub was stopped or killed while this call ran. Its outcome is unknown: check before you repeat it.'

export async function repairThread(writer: ThreadWriter, conversation: string, directory: string): Promise<void> {
  const partial = readPartialText(directory)
  const turn = openTurn(await writer.read(conversation))
  if (turn) await writer.append(conversation, endOf(turn, partial))
  removePartialText(directory)
}

/** The entries of a turn that has no end. */
function openTurn(entries: readonly NewEntry[]): readonly NewEntry[] | undefined {
  const begin = entries.findLastIndex(({ type, key }) => type === 'prompt' && key.startsWith(keyPrefix))
  const end = entries.findLastIndex(({ type }) => type === 'complete')
  return begin > end ? entries.slice(end + 1) : undefined
}

/** The keys are made from those of the turn, so that a repair that is itself cut can be repeated. */
function endOf(turn: readonly NewEntry[], partial: readonly PartialEntry[]): readonly NewEntry[] {
  const at = new Date().toISOString()
  return [
    ...partial,
    ...openCalls(turn).map(({ callId, name }) => resultEntry({ callId, name, at, error: unknownOutcome })),
    { type: 'complete', key: `${turn[0]!.key}:cut`, at, status: 'interrupted', reason: cutReason },
  ]
}

export function openCalls(turn: readonly NewEntry[]): readonly Extract<NewEntry, { type: 'tool-request' }>[] {
  const answered = new Set(turn.flatMap((entry) => (entry.type === 'tool-result' ? [entry.callId] : [])))
  return turn.filter((entry) => entry.type === 'tool-request').filter(({ callId }) => !answered.has(callId))
}

/** `error` is set if the tool failed. It then takes the place of the text. */
export function resultEntry(result: {
  readonly callId: string
  readonly name: string
  readonly at: string
  readonly text?: string
  readonly error?: string
}): NewEntry {
  const { callId, name, at, text = '', error } = result
  const common = { type: 'tool-result' as const, key: `result:${callId}`, callId, name, at, result: error ?? text }
  return error === undefined ? common : { ...common, error }
}
