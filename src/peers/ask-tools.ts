/**
 * sessions_ask, sessions_code_advice and their siblings. `<peer>_code_advice` is answered too, and decided as
 * sessions_code_advice with the peer as its session.
 */
import { z } from 'zod'
import type { Asked, AskSession } from '../api/ask-session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Call, CallToolResult, Params, Tool } from '../mcp/mcp.ts'
import { defineTool, errorCode, RpcError, structured, toolError } from '../mcp/mcp.ts'
import type { ActionName } from './actions.ts'
import { actionNames, actions, promptFor } from './actions.ts'
import type { ReachablePeers } from './reachable-peers.ts'

export interface AskToolsOptions {
  readonly peers: Pick<ReachablePeers, 'find' | 'running'>
  readonly ask: AskSession
  /** Answers an action if the agent names no session. */
  readonly actions: Actions
  /** The id of the session whose agent has the tools. */
  readonly self: string
}

export interface Actions {
  run(
    action: Exclude<ActionName, 'ask'>,
    input: { readonly text: string },
    place: { readonly session: string; readonly correlation: string; readonly parent?: string },
    signal: AbortSignal,
    options: {
      progress(step: { readonly progress: number; readonly total?: number; readonly message?: string }): void
    },
  ): Promise<Routed>
}

type Routed =
  | { readonly is: 'answered'; readonly result: Answerer & { readonly text: string } }
  | ({ readonly is: 'failed'; readonly reason: string } & Answerer)

interface Answerer {
  readonly route: string
  readonly session_id?: string | undefined
  readonly thread_id?: string | undefined
}

export interface AskTools {
  readonly tools: readonly Tool[]
  /** Also under the name of a peer. */
  find(name: string): Tool | undefined
}

const text = z.string().min(1).max(1_000_000)
const session = z.string().min(1).max(200)
const askInput = z.strictObject({ session, text })
/**
 * Without a session, the hub chooses who answers. The listed tools do not say so, because their list is at its size
 * limit.
 */
const actionInput = z.strictObject({ session: session.optional(), text })
const chainKey = 'io.signalbox/chain'
/** `present` shows the result, so this is not listed. */
const output = z.looseObject({})

export function createAskTools({ peers, ask, actions: routed, self }: AskToolsOptions): AskTools {
  function toolOf(name: ActionName): Tool {
    const { description, isWriting } = actions[name]
    const tool = defineTool({
      name: `sessions_${name}`,
      description,
      input: name === 'ask' ? askInput : actionInput,
      output,
      annotations: { readOnlyHint: false, destructiveHint: isWriting, idempotentHint: false, openWorldHint: true },
      present: (result) => present(result as unknown as Asked | Refused | Answered),
      unrecorded: ['text'],
      async run({ session: peer, text: asked }, call) {
        if (peer !== undefined) return { ...(await askFor(peer, promptFor(name, asked), call)) }
        // The schema of ask demands a session.
        return { ...(await route(name as Exclude<ActionName, 'ask'>, asked, call)) }
      },
    })
    return { ...tool, prepare }
  }

  async function askFor(peer: string, text: string, call: Call): Promise<Asked | Refused> {
    const { correlation, event, signal } = call
    let step = 0
    const onProgress = (message: string) => call.progress({ progress: ++step, message })
    try {
      const { id } = await peers.find(peer)
      return await ask({ session: id, text, caller: self, correlation, event, signal, onProgress })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      // A full queue is an error of the protocol. A chain is a result that the model reads.
      if (error.code === 'busy') throw new RpcError(errorCode.busy, error.message)
      const chain = error.data?.['chain']
      if (chain === undefined) throw error
      return { refused: error.message, chain }
    }
  }

  async function route(name: Exclude<ActionName, 'ask'>, asked: string, call: Call): Promise<Answered> {
    const { correlation, event, signal } = call
    const place = { session: self, correlation, ...(event !== undefined && { parent: event }) }
    const progress = (step: Parameters<typeof call.progress>[0]) => call.progress(step)
    const outcome = await routed.run(name, { text: asked }, place, signal, { progress })
    if (outcome.is === 'failed') return { ...placeOf(outcome), status: 'failed', reason: outcome.reason }
    return { ...placeOf(outcome.result), status: 'completed', answer: outcome.result.text }
  }

  /** A rule may name a session, so its id becomes its name. */
  async function prepare(args: Params): Promise<Params> {
    const { session: given } = args
    if (typeof given !== 'string') return args
    try {
      const { id, name } = await peers.find(given)
      const named = await peers.find(name)
      return named.id === id ? { ...args, session: name } : args
    } catch (error) {
      // The tool will say that there is no such session.
      if (error instanceof HubError) return args
      throw error
    }
  }

  const tools = new Map(actionNames.map((name) => [`sessions_${name}`, toolOf(name)]))

  return {
    tools: [...tools.values()],
    find(name) {
      const listed = tools.get(name)
      if (listed) return listed
      const action = actionNames.find((each) => name.endsWith(`_${each}`))
      const tool = action && tools.get(`sessions_${action}`)
      if (!tool) return undefined
      const plain = name.slice(0, -action.length - 1).replace(/^sessions_/, '')
      const peer = peers.running().find((each) => each.name.replaceAll('-', '_') === plain.replaceAll('-', '_'))
      if (!peer) return undefined
      const withPeer = (args: Params) => ({ ...args, session: peer.name })
      const subject = { tool: tool.name, aliases: [name] }
      return { ...tool, name, subject, prepare: async (args) => withPeer(args) }
    },
  }
}

/** An answer of the router. */
interface Answered extends Answerer {
  readonly status: 'completed' | 'failed'
  readonly answer?: string
  readonly reason?: string
}

function placeOf({ route, session_id: id, thread_id: thread }: Answerer): Answerer {
  return { route, ...(id !== undefined && { session_id: id }), ...(thread !== undefined && { thread_id: thread }) }
}

interface Refused {
  readonly refused: string
  readonly chain: unknown
}

function present(asked: Asked | Refused | Answered): CallToolResult {
  if ('refused' in asked) return { ...toolError(asked.refused), _meta: { [chainKey]: asked.chain } }
  const { route, session_id, thread_id, status } = asked
  const meta = {
    'io.signalbox/route': route,
    ...(session_id !== undefined && { 'io.signalbox/session': session_id }),
    ...(thread_id !== undefined && { 'io.signalbox/thread': thread_id }),
  }
  const isError = status === 'failed' || status === 'interrupted'
  return { ...structured({ ...asked }), _meta: meta, ...(isError && { isError }) }
}
