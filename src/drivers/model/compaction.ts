/** Keeps a conversation within the context of its model: older entries are summarised. The thread keeps them all. */
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'

/** The model reads it in place of all entries up to the one with the key `through`. */
export interface Summary {
  readonly through: string
  readonly text: string
}

/** Most tokenizers make fewer tokens of a text, so the estimate is on the safe side. */
const charactersPerToken = 3.5
/** The rest is for the answer and for errors of the estimate. */
const usableShare = 0.75
/** After a compaction the conversation has this share of the room, so that it can grow again for a while. */
const keptShare = 0.5
/** A call or result is summarised by its beginning. */
const mostCharactersOfEntry = 4_000
const mostCharactersOfPrompt = 8_000

export const summaryInstructions =
  'You compact the conversation of an AI agent so that it can go on without the original. Write down, in short plain ' +
  'sentences: what the person wants, word for word where it matters; what was done and found, with names of files, ' +
  'commands, values and errors; decisions; what is still to do. Write nothing else.'

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** How many tokens the messages may have beside instructions and tools. */
export function roomFor(contextTokens: number, fixedTokens: number): number {
  return Math.max(0, Math.floor(contextTokens * usableShare) - fixedTokens)
}

export function tokensOf(entries: readonly NewEntry[]): number {
  return entries.reduce((sum, entry) => sum + tokensIn(entry), 0)
}

/** Entries do not change, and each is counted before every call of the model. */
const counted = new WeakMap<NewEntry, number>()

function tokensIn(entry: NewEntry): number {
  const tokens = counted.get(entry) ?? estimateTokens(JSON.stringify(entry))
  counted.set(entry, tokens)
  return tokens
}

export function entriesAfter(entries: readonly NewEntry[], summary: Summary | undefined): readonly NewEntry[] {
  if (!summary) return entries
  return entries.slice(entries.findIndex(({ key }) => key === summary.through) + 1)
}

/**
 * How many of the oldest entries to summarise, so that the others fit. A call is never separated from its result. 0: the
 * newest call and its result are all there is.
 */
export function chooseCut(entries: readonly NewEntry[], roomTokens: number): number {
  const cuts = wholeCuts(entries)
  let left = tokensOf(entries)
  let index = 0
  const fits = cuts.find((cut) => {
    while (index < cut) left -= tokensIn(entries[index++]!)
    return left <= roomTokens * keptShare
  })
  return fits ?? cuts.at(-1) ?? 0
}

/** The places before which every call has its result. The newest entry always stays. */
function wholeCuts(entries: readonly NewEntry[]): readonly number[] {
  const open = new Set<string>()
  const cuts: number[] = []
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'tool-request') open.add(entry.callId)
    if (entry.type === 'tool-result') open.delete(entry.callId)
    if (open.size === 0 && index < entries.length - 1) cuts.push(index + 1)
  }
  return cuts
}

/** The prompt for the summary. If it is too long, its beginning is left out. */
export function transcriptOf(entries: readonly NewEntry[], before: Summary | undefined, roomTokens: number): string {
  const lines = entries.flatMap(lineOf)
  const text = [...(before ? [`Summary of what came before:\n${before.text}`] : []), ...lines].join('\n\n')
  return text.slice(-Math.max(1_000, Math.floor(roomTokens * charactersPerToken)))
}

/** The message that the model reads in place of the older entries. */
export function summaryMessage({ text }: Summary, lastPrompt: string | undefined): string {
  const asked =
    lastPrompt === undefined ? '' : `\n\nThe last request was:\n${lastPrompt.slice(0, mostCharactersOfPrompt)}`
  return `This conversation was compacted. A summary of what came before:\n\n${text}${asked}`
}

/** The last prompt among the entries that a summary replaces, if no newer one follows. */
export function coveredPrompt(all: readonly NewEntry[], kept: readonly NewEntry[]): string | undefined {
  if (kept.some(({ type }) => type === 'prompt')) return undefined
  const prompt = all.findLast(({ type }) => type === 'prompt')
  return prompt?.type === 'prompt' ? prompt.text : undefined
}

function lineOf(entry: NewEntry): readonly string[] {
  const short = (text: string) => text.slice(0, mostCharactersOfEntry)
  switch (entry.type) {
    case 'prompt':
      return [`Person: ${entry.text}`]
    case 'text':
      return [`Agent: ${entry.text}`]
    case 'tool-request':
      return [`Agent calls ${entry.name}: ${short(JSON.stringify(entry.parameters))}`]
    case 'tool-result':
      return [`Result of ${entry.name}: ${short(entry.error ?? textOf(entry.result))}`]
    case 'complete':
      return entry.status === 'completed' ? [] : [`The turn was ${entry.status}: ${entry.reason ?? ''}`]
    case 'thinking':
    case 'error':
      return []
  }
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result)
}

const progressSchema = z.object({ summary: z.object({ through: z.string(), text: z.string() }) })

/** Kept as the progress of the thread, so that a later hub does not summarise again. */
export function writeProgress(summary: Summary): string {
  return JSON.stringify({ summary })
}

/** `undefined`: there was no compaction, or another release wrote it. Then the whole thread is used. */
export function readProgress(text: string | undefined): Summary | undefined {
  try {
    return progressSchema.safeParse(JSON.parse(text ?? '')).data?.summary
  } catch {
    return undefined
  }
}
