/** A thread as a person reads it: prompts, words of the agent, thoughts and calls, in turns. */
import type { Frame } from '../../src/api/thread.ts'

export type ThreadItem =
  | { readonly is: 'prompt'; readonly key: string; readonly at: string; readonly text: string }
  | { readonly is: 'text' | 'thinking'; readonly key: string; readonly at: string; readonly text: string }
  | ToolCallItem
  | { readonly is: 'end'; readonly key: string; readonly at: string; readonly status: string; readonly reason?: string }
  | { readonly is: 'error'; readonly key: string; readonly at: string; readonly message: string }

export interface ToolCallItem {
  readonly is: 'call'
  readonly key: string
  readonly at: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly outcome: CallOutcome
}

export type CallOutcome =
  | { readonly is: 'running' }
  | { readonly is: 'success'; readonly result: unknown; readonly ms: number }
  | { readonly is: 'error'; readonly error: string; readonly ms: number }

export interface Turn {
  readonly key: string
  readonly items: readonly ThreadItem[]
}

/** Adds frames to the items before. Texts grow, and results complete their calls. */
export function addFrames(before: readonly ThreadItem[], frames: readonly Frame[]): readonly ThreadItem[] {
  const items = [...before]
  const places = new Map(items.map((item, index) => [placeKey(item), index]))

  function put(item: ThreadItem): void {
    const key = placeKey(item)
    const at = places.get(key)
    if (at === undefined) places.set(key, items.push(item) - 1)
    else items[at] = merged(items[at]!, item)
  }
  for (const frame of frames) {
    const item = toItem(frame)
    if (item) put(item)
  }
  return items
}

function placeKey(item: ThreadItem): string {
  return `${item.is}:${item.key}`
}

function toItem(frame: Frame): ThreadItem | undefined {
  const { key, at } = frame
  switch (frame.type) {
    case 'prompt':
      return { is: 'prompt', key, at, text: frame.text }
    case 'token':
      return { is: 'text', key, at, text: frame.text }
    case 'thinking':
      return { is: 'thinking', key, at, text: frame.text }
    case 'tool-request':
      return {
        is: 'call',
        key: frame.callId,
        at,
        name: frame.name,
        parameters: frame.parameters,
        outcome: { is: 'running' },
      }
    case 'tool-result': {
      const { callId, name, parameters, stage, result, errorFull = '' } = frame
      const outcome: CallOutcome =
        stage === 'success' ? { is: 'success', result, ms: 0 } : { is: 'error', error: errorFull, ms: 0 }
      return { is: 'call', key: callId, at, name, parameters, outcome }
    }
    case 'complete':
      return { is: 'end', key, at, status: frame.status, ...(frame.reason !== undefined && { reason: frame.reason }) }
    case 'error':
      return { is: 'error', key, at, message: frame.message }
    // It repeats the last text of the turn.
    case 'final':
      return undefined
  }
}

function merged(old: ThreadItem, next: ThreadItem): ThreadItem {
  if ((old.is === 'text' || old.is === 'thinking') && next.is === old.is) return { ...old, text: old.text + next.text }
  if (old.is !== 'call' || next.is !== 'call' || next.outcome.is === 'running') return old
  const ms = Date.parse(next.at) - Date.parse(old.at)
  return { ...old, outcome: { ...next.outcome, ms } }
}

/** A turn begins with a prompt. Entries before the first prompt are a turn too. */
export function toTurns(items: readonly ThreadItem[]): readonly Turn[] {
  const turns: { key: string; items: ThreadItem[] }[] = []
  for (const item of items) {
    const last = turns.at(-1)
    const begins = item.is === 'prompt' && last?.items.at(-1)?.is !== 'prompt'
    if (!last || begins) turns.push({ key: item.key, items: [item] })
    else last.items.push(item)
  }
  return turns
}

/** The argument that tells most about a call, in one line. */
export function summaryOf(parameters: Readonly<Record<string, unknown>>): string {
  const told = ['command', 'file_path', 'path', 'url', 'query', 'pattern', 'session', 'text', 'prompt']
  const value = told.map((name) => parameters[name]).find((each) => typeof each === 'string')
  const first = value ?? Object.values(parameters).find((each) => typeof each === 'string' || typeof each === 'number')
  return first === undefined ? '' : String(first).split('\n')[0]!.slice(0, 200)
}
