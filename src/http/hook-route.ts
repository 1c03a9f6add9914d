/** `/hooks/<name>`: hooks that an agent's program runs ask and report here, with the token of their session. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { isNestedDeeper } from '../base/json-nesting.ts'
import { whyTooHeavy } from '../base/json-weight.ts'
import type { Principal } from '../base/principal.ts'
import { inTurn } from './long-bodies.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './send.ts'

export const hooksPrefix = '/hooks/'

/** The answer is for the agent's program. The signal fires when the program no longer waits. */
export type OnHook = (
  session: string,
  message: { readonly name: string; readonly body: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
) => Promise<object>

export interface HookExchange {
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly caller: Principal
  readonly maxBodyBytes: number
  readonly onHook: OnHook
}

/** A hook may wait for a person for long. More than these wait only if something is wrong with the agent. */
const mostAtOnce = 256
/** Of their bodies. A single hook may exceed it. */
const mostBytesAtOnce = 32 * 1024 * 1024
const atOnce = new Map<string, { count: number; bytes: number }>()

export async function answerHook(exchange: HookExchange): Promise<void> {
  const { tokenId } = exchange.caller
  const waiting = atOnce.get(tokenId) ?? { count: 0, bytes: 0 }
  if (waiting.count >= mostAtOnce) throw new HubError('busy', `${mostAtOnce} hooks of this session wait for an answer.`)
  if (waiting.bytes >= mostBytesAtOnce) {
    throw new HubError('busy', `Hooks of this session with ${waiting.bytes} bytes wait for an answer.`)
  }
  // A body of unknown length may be of any length.
  const bytes = Number(exchange.request.headers['content-length'] ?? exchange.maxBodyBytes)
  waiting.count += 1
  waiting.bytes += bytes
  atOnce.set(tokenId, waiting)
  try {
    await answerOne(exchange)
  } finally {
    waiting.count -= 1
    waiting.bytes -= bytes
    if (waiting.count === 0) atOnce.delete(tokenId)
  }
}

async function answerOne({ path, request, response, caller, maxBodyBytes, onHook }: HookExchange): Promise<void> {
  if (caller.role !== 'agent' || caller.session === undefined) {
    throw new HubError('forbidden', 'Hooks are for agents: use the token of a session.')
  }
  const text = await readBody(request, maxBodyBytes)
  const body = await inTurn(caller, text, () => parseObject(text))
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // A person may take hours to answer, and nothing is sent meanwhile.
  request.socket.setTimeout(0)
  const answer = await onHook(caller.session, { name: path.slice(hooksPrefix.length), body }, gone.signal)
  if (!gone.signal.aborted) sendJson(response, 200, answer)
}

/** Code that walks a message is recursive. */
const deepest = 100

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (isNestedDeeper(text, deepest)) {
    throw new HubError('invalid', `The body of a hook is nested at most ${deepest} levels deep.`)
  }
  const why = whyTooHeavy(Buffer.from(text))
  if (why !== undefined) throw new HubError('too-large', `The body of a hook is too much for the hub: ${why}.`)
  const body = parse(text)
  if (!isRecord(body)) throw new HubError('invalid', 'The body of a hook is a JSON object.')
  // Much code takes this key for the object's prototype, so the policy might not see what the tool gets.
  if (hasPrototypeKey(body)) throw new HubError('invalid', 'The body of a hook has no key "__proto__".')
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey)
}
