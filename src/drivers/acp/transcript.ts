/**
 * Turns the messages between hub and agent into entries of a thread. It depends on the lines alone, so a hub that reads
 * them again writes the same entries with the same keys.
 */
import type { Draft, NewEntry, Usage } from '../../api/thread.ts'
import { dropOldest } from '../../base/drop-oldest.ts'
import { jsonSize } from '../../base/json-size.ts'
import { explainFailure } from '../port/turn-failure.ts'
import type { KnownCall } from './own-tool.ts'
import { learn, parametersOf } from './own-tool.ts'
import type { Incoming, ToolCall } from './wire.ts'
import { recordOf } from './wire.ts'

/** A place in the output at which nothing is incomplete. A later hub continues here. */
export interface Place {
  readonly offset: number
  /** The id of the agent's own session. */
  readonly session: string | undefined
  /** The id of the last prompt, and whether its turn runs. */
  readonly turn: number
  readonly isOpen: boolean
  /** How many texts the turn has. */
  readonly texts: number
  readonly model?: string | undefined
  /** The name of a tool that ran without permission. */
  readonly unasked?: string | undefined
  /** The agent has asked for permission to run a tool. */
  readonly hasAsked?: boolean
}

export interface Transcript {
  readonly session: string | undefined
  /** The id of the prompt whose turn runs. */
  readonly turn: number | undefined
  /** The text that the agent is writing. */
  readonly draft: Draft | undefined
  /** The name of a tool that ran without permission. */
  readonly unasked: string | undefined
  /** The agent has asked for permission to run a tool. */
  readonly hasAsked: boolean
  /** The agent has its session: from now on there is a thread. */
  begin(session: string, model: string | undefined): void
  prompt(id: number, text: string, at: string): readonly NewEntry[]
  read(message: Incoming, at: string): readonly NewEntry[]
  /** The agent waits for permission to run the tool. */
  ask(call: KnownCall, at: string): readonly NewEntry[]
  /** The agent must not run the tool. The agent itself may not report that. */
  refuse(call: KnownCall, reason: string, at: string): readonly NewEntry[]
  /** The program ended. */
  end(reason: string, at: string): readonly NewEntry[]
  callOf(id: string): KnownCall | undefined
  /** `undefined`: something is incomplete. */
  placeAt(offset: number): Place | undefined
}

interface OpenText {
  readonly key: string
  readonly type: Draft['type']
  readonly at: string
  text: string
}

const remedies = {
  login: 'run it once in a terminal of this machine and log in, then start the session again.',
  contextFull: 'start another session.',
}

/** A longer text becomes several entries. */
const longestText = 1024 * 1024
/** Of the calls of a turn that have no result yet, so many are kept, and so many bytes of what is known about them. */
const mostCalls = 1_000
const mostCallBytes = 32 * 1024 * 1024

/** In these states, the agent has described the call. */
const begun: readonly string[] = ['in_progress', 'completed', 'failed']

/** `prefix` separates the keys of sessions that continue the same thread. */
export function createTranscript(prefix: string, from: Place): Transcript {
  let { session, turn, isOpen, texts, model, unasked, hasAsked = false } = from
  let open: OpenText | undefined
  const calls = new Map<string, KnownCall>()
  /** The sizes of the calls. */
  const sizes = new Map<string, number>()
  let callBytes = 0
  /** Calls for which the agent asked for permission. */
  const asked = new Set<string>()
  const key = (name: string | number) => `${prefix}.${turn}.${name}`

  function keepCall(call: KnownCall): void {
    forgetCall(call.id)
    const bytes = jsonSize(call)
    calls.set(call.id, call)
    sizes.set(call.id, bytes)
    callBytes += bytes
    for (const oldest of calls.keys()) {
      if (oldest === call.id || (calls.size <= mostCalls && callBytes <= mostCallBytes)) break
      forgetCall(oldest)
    }
  }

  function forgetCall(id: string): void {
    callBytes -= sizes.get(id) ?? 0
    sizes.delete(id)
    calls.delete(id)
  }

  function closeText(): readonly NewEntry[] {
    if (!open) return []
    const { key: textKey, type, text, at } = open
    open = undefined
    return text === '' ? [] : [{ key: textKey, at, type, text, ...(model !== undefined && { model }) }]
  }

  function addText(type: Draft['type'], text: string, at: string): readonly NewEntry[] {
    const isFull = open !== undefined && open.text.length >= longestText
    const before = open?.type === type && !isFull ? [] : closeText()
    open ??= { key: key(++texts), type, at, text: '' }
    open.text += text
    return before
  }

  function requestOf(call: KnownCall, at: string): NewEntry {
    const { id: callId, name } = call
    return { key: `call:${callId}`, at, type: 'tool-request', callId, name, parameters: { ...parametersOf(call) } }
  }

  function readTool(call: ToolCall, at: string): readonly NewEntry[] {
    const before = closeText()
    const known = learn(calls.get(call.toolCallId), call)
    keepCall(known)
    if (!begun.includes(call.status ?? '')) return before
    const entries = [...before, requestOf(known, at)]
    if (call.status !== 'completed' && call.status !== 'failed') return entries
    forgetCall(known.id)
    if (call.status === 'completed' && !asked.has(known.id)) unasked = known.name
    return [...entries, resultOf(known, call, at)]
  }

  function endTurn(ending: Omit<NewEntry & { type: 'complete' }, 'key' | 'at' | 'type'>, at: string): NewEntry[] {
    const entries: NewEntry[] = [...closeText(), { key: key('complete'), at, type: 'complete', ...ending }]
    isOpen = false
    calls.clear()
    sizes.clear()
    callBytes = 0
    asked.clear()
    return entries
  }

  return {
    get session() {
      return session
    },
    get turn() {
      return isOpen ? turn : undefined
    },
    get draft() {
      return open && { key: open.key, type: open.type, text: open.text }
    },
    get unasked() {
      return unasked
    },
    get hasAsked() {
      return hasAsked
    },
    begin(id, usedModel) {
      session = id
      model = usedModel
    },
    prompt(id, text, at) {
      turn = id
      isOpen = true
      texts = 0
      return [{ key: key('prompt'), at, type: 'prompt', text }]
    },
    read(message, at) {
      // Outside a turn, the agent only repeats an older conversation.
      if (!isOpen) return []
      switch (message.is) {
        case 'update': {
          const { update } = message
          if (update.is === 'text' || update.is === 'thinking') return addText(update.is, update.text, at)
          return update.is === 'tool' ? readTool(update.call, at) : []
        }
        case 'permission': {
          const known = learn(calls.get(message.permission.toolCall.toolCallId), message.permission.toolCall)
          keepCall(known)
          asked.add(known.id)
          hasAsked = true
          dropOldest(asked, 10 * mostCalls)
          return closeText()
        }
        case 'result':
          return message.id === turn ? endTurn(endingOf(message.result), at) : []
        case 'failure':
          return message.id === turn
            ? endTurn({ status: 'failed', reason: explainFailure(message.message, remedies) }, at)
            : []
        case 'unknown':
        case 'nothing':
          return []
      }
    },
    ask: (call, at) => [requestOf(call, at)],
    refuse(call, reason, at) {
      forgetCall(call.id)
      const { id: callId, name } = call
      return [
        requestOf(call, at),
        { key: `result:${callId}`, at, type: 'tool-result', callId, name, result: null, error: reason },
      ]
    },
    end: (reason, at) => (isOpen ? endTurn({ status: 'failed', reason }, at) : []),
    callOf: (id) => calls.get(id),
    placeAt: (offset) =>
      open || calls.size > 0 ? undefined : { offset, session, turn, isOpen, texts, model, unasked, hasAsked },
  }
}

function resultOf({ id: callId, name }: KnownCall, { status, content, rawOutput }: ToolCall, at: string): NewEntry {
  const text = (content ?? []).flatMap((block) => block.content?.text ?? []).join('\n')
  const output = recordOf(rawOutput)
  const said = typeof output['output'] === 'string' ? output['output'] : text
  return {
    key: `result:${callId}`,
    at,
    type: 'tool-result',
    callId,
    name,
    result: said,
    ...(status === 'failed' && { error: said === '' ? text || 'The tool failed.' : said }),
  }
}

type Ending = Pick<NewEntry & { type: 'complete' }, 'status' | 'reason' | 'usage'>

function endingOf(result: Readonly<Record<string, unknown>>): Ending {
  const usage = usageOf(result)
  return { ...statusOf(result['stopReason']), ...(usage && { usage }) }
}

function statusOf(stopReason: unknown): Pick<Ending, 'status' | 'reason'> {
  switch (stopReason) {
    case 'end_turn':
      return { status: 'completed' }
    case 'cancelled':
      return { status: 'interrupted' }
    case 'max_tokens':
      return { status: 'failed', reason: 'The answer is too long for the model, or the conversation is.' }
    case 'max_turn_requests':
      return { status: 'failed', reason: 'The turn took more steps than the agent allows.' }
    case 'refusal':
      return { status: 'failed', reason: 'The model refused to answer.' }
    default:
      return { status: 'failed', reason: `The agent stopped: ${String(stopReason)}.` }
  }
}

/** opencode counts in `usage`, Gemini CLI in `_meta.quota`. The cost that opencode reports is that of the session. */
function usageOf(result: Readonly<Record<string, unknown>>): Usage | undefined {
  const usage = recordOf(result['usage'])
  const quota = recordOf(recordOf(recordOf(result['_meta'])['quota'])['token_count'])
  const input = usage['inputTokens'] ?? quota['input_tokens']
  const output = usage['outputTokens'] ?? quota['output_tokens']
  if (!Number.isSafeInteger(input) || !Number.isSafeInteger(output)) return undefined
  return { input_tokens: Number(input), output_tokens: Number(output) }
}
