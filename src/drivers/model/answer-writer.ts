/** Writes an answer to the thread while it arrives: each part as soon as it is whole, and drafts before that. */
import type { NewEntry } from '../../api/thread.ts'
import type { AnswerPart, ModelCall, StreamedPart } from '../../models/models.ts'
import { readInput } from '../../models/models.ts'
import type { PartialText } from './partial-text.ts'
import type { OpenThread } from './thread.ts'

export interface AnswerWriter extends Disposable {
  take(part: StreamedPart): void
  /** The calls so far, with ids that no other call of the thread has. */
  readonly calls: readonly ModelCall[]
  /** The answer does not continue: its incomplete parts become entries as they are. */
  keepPartial(): void
}

export interface AnswerWriterOptions {
  readonly thread: OpenThread
  readonly partial: PartialText
  /** The start of the keys. */
  readonly key: string
  readonly origin: { readonly model: string; readonly provider: string }
  /** Data that the provider wants back, by the key of its entry. Filled in here. */
  readonly seals: Map<string, AnswerPart['seal']>
}

type Growing = Extract<StreamedPart, { is: 'growing' }>

/** Viewers see text at this pace. Each draft costs more than a delta of the model. */
const draftEveryMs = 50

export function createAnswerWriter({ thread, partial, key, origin, seals }: AnswerWriterOptions): AnswerWriter {
  const growing = new Map<number, Growing>()
  const calls: ModelCall[] = []
  const known = new Set(thread.entries.flatMap((entry) => (entry.type === 'tool-request' ? [entry.callId] : [])))
  let timer: NodeJS.Timeout | undefined

  const keyOf = (index: number) => `${key}:${index}`
  const placeOf = (entryKey: string) => ({ key: entryKey, at: new Date().toISOString(), ...origin })

  function showDrafts(): void {
    timer = undefined
    for (const { index, type, text } of growing.values()) thread.draft({ key: keyOf(index), type, text })
  }

  function grow(part: Growing): void {
    const { index, type, text } = part
    const before = growing.get(index)?.text.length ?? 0
    partial.add({ ...placeOf(keyOf(index)), type, text: text.slice(before) })
    growing.set(index, part)
    timer ??= setTimeout(showDrafts, draftEveryMs)
  }

  function end(index: number, part: AnswerPart): void {
    growing.delete(index)
    const entry =
      part.type === 'call' ? requestOf(part) : { ...placeOf(keyOf(index)), type: part.type, text: part.text }
    seals.set(entry.key, part.seal)
    thread.add(entry)
  }

  function requestOf({ id: given, name, input }: ModelCall): NewEntry {
    const id = unusedId(given)
    calls.push({ id, name, input })
    // Arguments that are not a JSON object are kept as the model wrote them.
    const parameters = readInput(input) ?? { input }
    return { ...placeOf(`call:${id}`), type: 'tool-request', callId: id, name, parameters }
  }

  /** Some local servers start their ids again with every answer. */
  function unusedId(given: string): string {
    let id = given
    for (let count = 2; known.has(id) || id === ''; count++) id = `${given}_${count}`
    known.add(id)
    return id
  }

  return {
    calls,
    take(part) {
      if (part.is === 'growing') grow(part)
      else end(part.index, part.part)
    },
    keepPartial() {
      for (const { index, type, text } of growing.values()) end(index, { type, text })
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
    },
  }
}
