/**
 * Decides the calls of opencode's own tools. The plugin asks before a call runs and waits for the answer, so a rule of
 * the policy also holds for calls that the person allowed in opencode. If no rule matches, opencode's own settings
 * decide. Their question appears in the terminal and becomes an approval. The first answer counts.
 */
import { isDeepStrictEqual } from 'node:util'
import type { OwnTool } from '../../api/own-tools.ts'
import { dropOldest } from '../../base/drop-oldest.ts'
import { isRecord } from '../../base/is-record.ts'
import { jsonSize } from '../../base/json-size.ts'
import { forgetOldest, forgetOldestBytes } from '../port/forget-oldest.ts'
import type { AllowedOwnTool, OwnToolAnswer, OwnToolGate } from '../port/own-tools.ts'
import type { OpencodeClient } from './client.ts'
import type { Permission, ToolPart } from './messages.ts'
import { isHubTool, toOwnTools } from './own-tools.ts'

export interface CallsOptions {
  readonly ownTools: OwnToolGate
  readonly workspacePath: string
  /** `undefined`: opencode runs without a server. */
  readonly client: OpencodeClient | undefined
  /** The questions that are open in the terminal may have changed. */
  onChange(): void
}

export interface Calls {
  /** The plugin asks about a call. */
  decide(call: PluginCall, signal: AbortSignal): Promise<CallDecision>
  /** The person answered in the dialog of the hub's plugin. */
  answerHeld(approval: string, decision: 'approve' | 'deny'): Promise<void>
  /** opencode asks the person. */
  asked(permission: Permission): void
  replied(permission: string, reply: 'once' | 'always' | 'reject'): void
  /** A call runs or has ended. */
  noted(part: ToolPart): void
  /** The question that opencode asks the person now, unless the hub answers it at once. */
  readonly asking: string | undefined
}

export interface PluginCall {
  readonly id: string
  readonly tool: string
  readonly conversation: string
  readonly args: Readonly<Record<string, unknown>>
}

export type CallDecision = { readonly decision: 'allow' } | { readonly decision: 'deny'; readonly reason: string }

interface KnownCall {
  readonly tools: readonly OwnTool[]
  readonly bytes: number
  /** A rule or a person allowed it, so the person is not asked again. */
  isDecided: boolean
  /** The number of decisions about it that are under way. */
  deciding: number
  readonly ends: AllowedOwnTool['end'][]
  readonly over: AbortController
  /** Resolves when the approval has the answer that the person gave in the terminal. */
  told: Promise<void>
}

interface Asking {
  readonly call: KnownCall
  /** The name that opencode itself uses for the tool. */
  readonly agentTool: string | undefined
  readonly text: string
  approval?: string
  /** The person's answer in the terminal. */
  reply?: 'once' | 'always' | 'reject'
  isAnsweredByHub: boolean
}

interface HowToAsk {
  readonly agentAsks: boolean
  readonly signal: AbortSignal
  onHeld(approval: string): void
}

const longestText = 200
/** Without a server, opencode does not say when a call has ended. */
const mostCalls = 1_000
/** Of what is known about calls. */
const mostBytes = 32 * 1024 * 1024
const mostAsking = 100
const longestQuestion = 1024 * 1024

export function createCalls({ ownTools, workspacePath, client, onChange }: CallsOptions): Calls {
  const known = new Map<string, KnownCall>()
  const asking = new Map<string, Asking>()
  /** The approvals that calls of the plugin wait for. */
  const held = new Set<string>()
  /** Open calls as opencode records them. They include calls that an earlier hub decided. */
  const parts = new Map<string, { readonly part: ToolPart; readonly bytes: number }>()

  function callOf(id: string, tools: () => readonly OwnTool[]): KnownCall {
    const call = known.get(id) ?? newCall(tools())
    known.set(id, call)
    const isOpen = ({ deciding }: KnownCall) => deciding > 0
    forgetOldest(known, mostCalls, isOpen)
    forgetOldestBytes(known, mostBytes, isOpen)
    return call
  }

  function newCall(tools: readonly OwnTool[]): KnownCall {
    return {
      tools,
      bytes: jsonSize(tools),
      isDecided: false,
      deciding: 0,
      ends: [],
      over: new AbortController(),
      told: Promise.resolve(),
    }
  }

  async function authorizeAll(call: KnownCall, how: HowToAsk): Promise<OwnToolAnswer> {
    call.deciding += 1
    try {
      return await authorizeEach(call, how)
    } finally {
      call.deciding -= 1
    }
  }

  async function authorizeEach(call: KnownCall, how: HowToAsk): Promise<OwnToolAnswer> {
    let last: OwnToolAnswer | undefined
    for (const tool of call.tools) {
      const answer = await ownTools.authorize({ ...tool, ...how })
      if (answer.is === 'refused') return answer
      call.ends.push(answer.end)
      last = last?.is === 'allowed' && !answer.isRuled ? { ...last, isRuled: false } : answer
    }
    return last ?? { is: 'refused', reason: 'The hub does not know this call.', endsTurn: false }
  }

  async function endTurn(conversation: string): Promise<void> {
    await client?.abort(conversation)
  }

  async function answerQuestion(permission: Permission, question: Asking): Promise<void> {
    const { id, sessionID } = permission
    const { call, agentTool } = question
    const isOfHub = agentTool !== undefined && isHubTool(agentTool, await ownTools.toolsOfHub())
    if (!call.isDecided && !isOfHub) {
      const answer = await authorizeAll(call, {
        agentAsks: true,
        signal: call.over.signal,
        onHeld(approval) {
          question.approval = approval
          tellTerminalAnswer(question)
          onChange()
        },
      })
      if (question.reply) return
      if (answer.is === 'refused') {
        question.isAnsweredByHub = true
        await client?.replyPermission(id, 'reject', answer.reason)
        if (answer.endsTurn) await endTurn(sessionID)
        return
      }
      call.isDecided = true
    }
    question.isAnsweredByHub = true
    await client?.replyPermission(id, 'once')
  }

  /** If opencode's own description of the call differs from the one in the plugin's question, opencode's counts. */
  function askedCall(permission: Permission): KnownCall {
    const { id, tool } = permission
    const callId = tool?.callID ?? id
    const part = parts.get(callId)?.part
    const tools =
      part && part.state.status !== 'pending' ? toOwnTools(part.tool, part.state.input, workspacePath) : undefined
    if (tools && !isDeepStrictEqual(known.get(callId)?.tools ?? tools, tools)) known.delete(callId)
    return callOf(callId, () => tools ?? ownToolsOf(permission))
  }

  function ownToolsOf({ permission, metadata, patterns }: Permission): readonly OwnTool[] {
    return toOwnTools(permission, { ...metadata, patterns }, workspacePath)
  }

  /** For the person, and for the plugin in the terminal, which shows a dialog. */
  function tellTerminal(title: string, message: string): void {
    void client?.toast(title, message).catch(() => {})
  }

  function tellTerminalAnswer({ call, approval, reply }: Asking): void {
    if (approval === undefined || reply === undefined) return
    // This fails if the approval was answered elsewhere at the same moment. opencode has taken the person's answer.
    call.told = ownTools.answeredInTerminal(approval, reply === 'reject' ? 'deny' : 'approve').catch(() => {})
  }

  return {
    async decide({ id, tool, conversation, args }, signal) {
      if (isHubTool(tool, await ownTools.toolsOfHub())) return { decision: 'allow' }
      const tools = toOwnTools(tool, args, workspacePath)
      // A model may give two calls the same id, and a command of the agent can ask in the name of a call.
      if (!isDeepStrictEqual(known.get(id)?.tools ?? tools, tools)) known.delete(id)
      const call = callOf(id, () => tools)
      let approval: string | undefined
      const answer = await authorizeAll(call, {
        agentAsks: false,
        signal: AbortSignal.any([signal, call.over.signal]),
        onHeld(id) {
          approval = id
          held.add(id)
          tellTerminal(`Approval ${id}`, textOf(call))
        },
      })
      if (approval !== undefined) {
        held.delete(approval)
        tellTerminal(`Approval ${approval} is answered`, answer.is === 'allowed' ? 'It runs.' : 'It does not run.')
      }
      if (answer.is === 'refused') {
        if (answer.endsTurn) await endTurn(conversation)
        return { decision: 'deny', reason: answer.reason }
      }
      call.isDecided = answer.isRuled
      return { decision: 'allow' }
    },
    async answerHeld(approval, decision) {
      if (held.has(approval)) await ownTools.answeredInTerminal(approval, decision)
    },
    asked(permission) {
      const { id, tool } = permission
      // The others stay in the terminal.
      if (asking.has(id) || asking.size >= mostAsking || jsonSize(permission) > longestQuestion) return
      const call = askedCall(permission)
      const question: Asking = {
        call,
        agentTool: tool && parts.get(tool.callID)?.part.tool,
        text: questionText(permission),
        isAnsweredByHub: false,
      }
      asking.set(id, question)
      // If the answer does not arrive, the question stays in the terminal.
      void answerQuestion(permission, question).catch(() => {})
    },
    replied(permission, reply) {
      const question = asking.get(permission)
      if (!question) return
      asking.delete(permission)
      onChange()
      if (question.isAnsweredByHub) return
      question.reply = reply
      tellTerminalAnswer(question)
    },
    noted(part) {
      const { callID, state } = part
      if (state.status === 'pending' || state.status === 'running') {
        parts.set(callID, { part, bytes: jsonSize(part) })
        dropOldest(parts, mostCalls)
        return forgetOldestBytes(parts, mostBytes, () => false)
      }
      parts.delete(callID)
      const call = known.get(callID)
      known.delete(callID)
      if (!call) return
      for (const end of call.ends) end(state.status === 'completed' ? 'ok' : 'error')
      // The person may have interrupted the turn while it was held.
      void call.told.then(() => call.over.abort())
    },
    get asking() {
      return [...asking.values()].find(({ approval }) => approval !== undefined)?.text
    },
  }
}

function textOf({ tools }: KnownCall): string {
  const [first] = tools
  if (!first) return 'a call'
  const { command, path, url } = first.arguments
  const what = [command, path, url].find((value) => typeof value === 'string')
  return short(what === undefined ? first.tool : `${first.tool}: ${what}`)
}

function questionText({ permission, patterns, metadata }: Permission): string {
  const command = isRecord(metadata) && typeof metadata['command'] === 'string' ? metadata['command'] : undefined
  return short(`${permission}: ${command ?? patterns.join(', ')}`)
}

function short(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}
