/**
 * Threads in the formats of other providers, in both directions.
 *
 *   text → messages → pieces → entries        entries → pieces → messages → text
 *
 * Content for which an entry has no field is kept with the entry, and comes back when the thread is written in the same
 * format. Content that a format cannot hold stays in the thread, and the result names it.
 */
import type { FormatName, NewEntry, ThreadEntry } from '../../api/thread.ts'
import { HubError } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import { anthropic } from './anthropic.ts'
import { arranged } from './arrange.ts'
import { safeCallIds } from './call-ids.ts'
import type { Format, Reading } from './format.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Piece } from './piece.ts'
import { other } from './piece.ts'

const formats: Readonly<Record<FormatName, Format>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
}

/** Who answers in a thread of this format. */
export function providerOf(name: FormatName): string {
  return formats[name].provider
}

// Importing.

export function readThread(name: FormatName, text: string, at: string): readonly NewEntry[] {
  const format = formats[name]
  const { list, messages } = messagesIn(format, text)
  const reading = createReading()
  const keys = createKeys()
  const entries: NewEntry[] = []
  let silent: unknown[] = []
  for (const [index, message] of messages.entries()) {
    const pieces = format.read(message, `${list}[${index}]`, reading)
    if (pieces.length === 0) silent.push(message)
    for (const piece of pieces) {
      reading.note(piece)
      entries.push(entryOf(format, piece, { index, before: silent, key: keys.of(piece), at, reading }))
      silent = []
    }
  }
  const last = entries.pop()
  if (!last) throw new HubError('invalid', `"text": ${list} has no message of a person or an agent.`)
  return [...entries, silent.length > 0 ? withAfter(last, silent) : last]
}

interface EntryMaking {
  readonly index: number
  readonly before: readonly unknown[]
  readonly key: string
  readonly at: string
  readonly reading: Pick<OpenReading, 'parametersOf'>
}

function entryOf(
  { name, version }: Format,
  { said, part, fields, form }: Piece,
  { index, before, key, at, reading }: EntryMaking,
): NewEntry {
  const parameters = said.type === 'tool-result' ? reading.parametersOf(said.callId) : undefined
  const value = {
    message: index,
    ...(fields && { fields }),
    ...(part && { part }),
    ...(form && { form }),
    ...(before.length > 0 && { before }),
  }
  return { ...said, ...(parameters && { parameters }), key, at, extra: { format: name, version, value } }
}

function withAfter(entry: NewEntry, after: readonly unknown[]): NewEntry {
  const { extra } = entry
  return extra ? { ...entry, extra: { ...extra, value: { ...extra.value, after } } } : entry
}

/** A list of messages, a request with such a list, or the lines of a file that the agent keeps. */
function messagesIn({ name, list, fromLines }: Format, text: string): { list: string; messages: readonly unknown[] } {
  const value = parse(text)
  if (Array.isArray(value)) return { list, messages: value }
  if (isRecord(value) && Array.isArray(value[list])) return { list, messages: value[list] }
  const lines = value === undefined && fromLines ? linesIn(text) : undefined
  if (lines) return { list: 'the file', messages: fromLines!(lines) }
  const problem = value === undefined ? 'is not JSON' : `has no list "${list}"`
  throw new HubError(
    'invalid',
    `"text" ${problem}. Give the messages of ${name} as a JSON list, or in an object such as {"${list}": […]}.`,
  )
}

function linesIn(text: string): readonly unknown[] | undefined {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse)
  return lines.length > 0 && lines.every(isRecord) ? lines : undefined
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // A value that is nested too deep to be written again cannot be stored.
    JSON.stringify(value)
    return value
  } catch {
    return undefined
  }
}

interface OpenReading extends Reading {
  note(piece: Piece): void
  parametersOf(callId: string): Record<string, unknown> | undefined
}

function createReading(): OpenReading {
  const calls = new Map<string, { readonly name: string; readonly parameters: Record<string, unknown> }>()
  const open: { readonly id: string; readonly name: string }[] = []
  let last = 0
  return {
    nameOf: (id) => calls.get(id)?.name,
    parametersOf: (id) => calls.get(id)?.parameters,
    openCall: (name) => open.find((call) => call.name === name)?.id,
    newCallId: () => `call-${++last}`,
    note({ said }) {
      if (said.type === 'tool-request') {
        calls.set(said.callId, said)
        open.push({ id: said.callId, name: said.name })
      }
      if (said.type !== 'tool-result') return
      const at = open.findIndex(({ id }) => id === said.callId)
      if (at >= 0) open.splice(at, 1)
    },
  }
}

/** Keys that are the same for the same text, and unique: a provider may give the id of a call twice. */
function createKeys() {
  const used = new Set<string>()
  let count = 0
  return {
    of({ said }: Piece): string {
      const number = ++count
      const wanted =
        said.type === 'tool-request'
          ? `call:${said.callId}`
          : said.type === 'tool-result'
            ? `result:${said.callId}`
            : `imported:${number}`
      const key = used.has(wanted) ? `${wanted}#${number}` : wanted
      used.add(key)
      return key
    },
  }
}

// Exporting.

export interface LeftOut {
  readonly what: string
  /** The keys of the entries. */
  readonly where: readonly string[]
}

export interface WrittenThread {
  readonly messages: readonly unknown[]
  /** The content that the format cannot hold. */
  readonly leftOut: readonly LeftOut[]
}

export interface WritingOptions {
  /** A provider continues the messages. */
  readonly isContinued?: boolean
}

export function writeThread(
  name: FormatName,
  entries: readonly ThreadEntry[],
  { isContinued = false }: WritingOptions = {},
): WrittenThread {
  const format = formats[name]
  const isForeign = entries.some(({ extra }) => extra?.format !== name)
  // A thread that is not as it was imported is put into an order that every provider takes.
  const ordered = isForeign || isContinued ? safeCallIds(arranged(entries), format) : entries
  const leftOut = new Map<string, string[]>()
  const noteLeftOut = (what: string, key: string) => leftOut.set(what, [...(leftOut.get(what) ?? []), key])
  const keys = new Map<Piece, string>()
  const messages: unknown[] = []
  for (const group of groupsOf(format, ordered)) {
    const pieces = group.map((entry) => {
      const piece = pieceIn(format, entry, (what) => noteLeftOut(what, entry.key))
      keys.set(piece, entry.key)
      return piece
    })
    const beside = group.map(({ extra }) => (extra?.format === name ? extra.value : undefined))
    messages.push(...beside.flatMap((value) => value?.before ?? []))
    const message = format.write(pieces, (what, piece) => noteLeftOut(what, (piece && keys.get(piece)) ?? ''))
    if (message) messages.push(message)
    messages.push(...beside.flatMap((value) => value?.after ?? []))
  }
  const kept = new Set(ordered.map(({ key }) => key))
  for (const { type, key } of entries) {
    if (type === 'tool-result' && !kept.has(key)) noteLeftOut('the result of a call that is not in the thread', key)
    if (type === 'complete') noteLeftOut('the end of a turn', key)
    if (type === 'error') noteLeftOut('a failure', key)
  }
  return { messages, leftOut: [...leftOut].map(([what, where]) => ({ what, where })) }
}

/** The entries of one message each. */
function groupsOf(format: Format, entries: readonly ThreadEntry[]): readonly ThreadEntry[][] {
  const groups: ThreadEntry[][] = []
  for (const entry of entries) {
    if (entry.type === 'complete' || entry.type === 'error') continue
    const group = groups.at(-1)
    if (group && belongs(format, group, entry)) group.push(entry)
    else groups.push([entry])
  }
  return groups
}

function belongs(format: Format, group: readonly ThreadEntry[], entry: ThreadEntry): boolean {
  const [one, two] = [group[0], entry].map((each) =>
    each?.extra?.format === format.name ? each.extra.value.message : undefined,
  )
  if (one !== undefined || two !== undefined) return one === two
  const nothing = () => {}
  return format.continues(
    group.map((each) => pieceIn(format, each, nothing)),
    pieceIn(format, entry, nothing),
  )
}

function pieceIn(format: Format, entry: ThreadEntry, leaveOut: (what: string) => void): Piece {
  const { extra } = entry
  const said = entry as unknown as Piece['said']
  if (!extra) return { said }
  const { fields, part, form = [], before = [], after = [] } = extra.value
  if (extra.format === format.name) return { said, fields, part, form: extra.value.form, isOfFormat: true }
  const only = [...Object.keys(fields ?? {}), ...(form.includes(other) ? [] : Object.keys(part ?? {}))]
  if (only.length > 0) leaveOut(`fields that only ${extra.format} has: ${only.join(', ')}`)
  if (form.includes(other) && 'text' in said) leaveOut(`a part of ${extra.format}: ${said.text}`)
  if (before.length + after.length > 0) leaveOut(`messages of ${extra.format} that are not of a person or an agent`)
  return { said }
}
