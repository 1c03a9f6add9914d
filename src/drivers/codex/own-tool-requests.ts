/**
 * Codex asks before each command and each patch, because its threads run under `untrusted`. The gate answers. The person
 * may also answer in Codex's own interface: the first answer counts.
 *
 *   request → calls in the words of the policy → gate → accept, decline or cancel
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ownToolName } from '../../api/own-tools.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import { createSerial } from '../../base/serial.ts'
import { jsonSize } from '../../base/json-size.ts'
import { agentId } from '../port/agent-id.ts'
import type { AnswerPlace, AnswerRoom } from '../port/answer-room.ts'
import { forgetOldest, forgetOldestBytes } from '../port/forget-oldest.ts'
import type { AllowedOwnTool, OwnToolGate } from '../port/own-tools.ts'
import type { RequestId } from './app-server.ts'
import type { JudgedCall } from './own-tool-calls.ts'
import { callOfCommand, callsOfGrant, callsOfPatch, commandRequest, fileRequest } from './own-tool-calls.ts'
import { staysInSandbox } from './recorded-call.ts'
import type { FileChange, ThreadItem } from './thread-items.ts'

export interface OwnToolRequests {
  /** False: not a request of this kind. */
  take(id: RequestId, method: string, params: unknown): boolean
  /** The server has an answer, ours or that of another client. */
  resolved(id: RequestId): void
  itemStarted(item: ThreadItem): void
  itemEnded(item: ThreadItem): void
  turnEnded(thread: string): void
  /** The connection has ended. Codex asks the next one again. */
  clear(): void
  /** Codex is being stopped, so it waits for no answer, also not to a later request. */
  end(): void
}

export interface OwnToolRequestsOptions {
  readonly session: string
  readonly workspace: string
  /** The folder for the files of the session. */
  readonly directory: string
  readonly ownTools: OwnToolGate
  readonly room: AnswerRoom
  readonly log: Log
  /** The file in which Codex records the thread. Waits until the hub knows the thread. */
  rolloutOf(thread: string): Promise<string | undefined>
  openRollout(path: string): Promise<FileHandle>
  reply(id: RequestId, result: object): void
  /** Tells the model something that no person said. */
  explain(thread: string, text: string): Promise<void>
}

/** The tools of this MCP server are the hub's own. The hub judges their calls itself. */
const ownServer = 'signalbox'

/**
 * The hub infers a person's answer in the interface from the next events. A refusal shows at once, but a command may
 * run for long. So without a refusal within this time, the answer counts as an approval.
 */
const refusalMs = 3_000

/** Codex may not say that a request or a call is over. */
const mostKept = 1_000
const mostKeptBytes = 32 * 1024 * 1024
const mostPatchBytes = 32 * 1024 * 1024
/** Codex may not confirm that it got an explanation. */
const mostExplanations = 64

interface Replies {
  readonly accept: object
  readonly decline: object
  readonly cancel: object
}

interface Asked {
  readonly threadId: string
  readonly itemId: string
  readonly calls: () => Promise<readonly JudgedCall[]>
  readonly replies: Replies
}

interface Open extends Asked {
  readonly bytes: number
  readonly inRoom: AnswerPlace
  readonly gone: AbortController
  approval: string | undefined
  /** The server needs no answer any more. */
  isOver: boolean
  /** How the call ended, if that was known before the gate had let it through. */
  ended: Ending | undefined
  /** The answer, if a person gave it elsewhere. */
  readonly outcome: PromiseWithResolvers<'approve' | 'deny'>
}

type Ending = Parameters<AllowedOwnTool['end']>[0]

const decisions: Replies = {
  accept: { decision: 'accept' },
  decline: { decision: 'decline' },
  cancel: { decision: 'cancel' },
}

const elicitationReplies: Replies = {
  accept: { action: 'accept', content: {}, _meta: null },
  decline: { action: 'decline', content: null, _meta: null },
  cancel: { action: 'cancel', content: null, _meta: null },
}

const toolElicitation = z.object({
  threadId: agentId,
  serverName: z.string(),
  message: z.string().default(''),
  _meta: z.looseObject({
    codex_approval_kind: z.literal('mcp_tool_call'),
    tool_name: z.string().optional(),
    tool_params: z.unknown().optional(),
  }),
})

const permissionsRequest = z.object({
  threadId: agentId,
  itemId: agentId,
  reason: z.string().nullish(),
  permissions: z.looseObject({}),
})

export function createOwnToolRequests(options: OwnToolRequestsOptions): OwnToolRequests {
  const { session, workspace, directory, ownTools, room, log, rolloutOf, openRollout, reply, explain } = options
  const open = new Map<RequestId, Open>()
  /** The changes of patches that have begun, by item. */
  const patches = new Map<string, readonly FileChange[]>()
  /** For the record of Codex. */
  const oneByOne = createSerial()
  let patchBytes = 0
  let isOver = false
  let explanations = 0
  /** The calls that run now, by item. */
  const running = new Map<string, AllowedOwnTool[]>()

  function readRequest(method: string, params: unknown): Asked | undefined {
    switch (method) {
      case 'item/commandExecution/requestApproval': {
        const { data } = commandRequest.safeParse(params)
        return data && { ...data, calls: async () => [await judgeCommand(data)], replies: decisions }
      }
      case 'item/fileChange/requestApproval': {
        const { data } = fileRequest.safeParse(params)
        if (!data) return undefined
        const calls = async () => [...callsOfGrant(data.grantRoot, workspace), ...(await judgePatch(data.itemId))]
        return { ...data, calls, replies: decisions }
      }
      case 'item/permissions/requestApproval': {
        const { data } = permissionsRequest.safeParse(params)
        if (!data) return undefined
        const { permissions, reason } = data
        const details = { permissions, ...(reason != null && { justification: reason }) }
        const nothing = { permissions: {}, scope: 'turn' }
        const call = {
          tool: ownToolName('request_permissions'),
          arguments: { agent_tool: 'request_permissions', agent_arguments: details },
          agentAsks: true,
        }
        const replies = { accept: { permissions, scope: 'turn' }, decline: nothing, cancel: nothing }
        return { ...data, calls: async () => [call], replies }
      }
      case 'mcpServer/elicitation/request': {
        const { data } = toolElicitation.safeParse(params)
        if (!data) return undefined
        const { threadId, serverName, message, _meta: meta } = data
        const tool = meta.tool_name ?? /"([^"]+)"/.exec(message)?.[1] ?? 'unknown'
        const agentTool = `mcp__${serverName}__${tool}`
        const call = {
          tool: ownToolName(agentTool),
          arguments: { agent_tool: agentTool, agent_arguments: { tool_params: meta.tool_params } },
          agentAsks: true,
        }
        const calls = async () => (serverName === ownServer ? [] : [call])
        return { threadId, itemId: '', calls, replies: elicitationReplies }
      }
      default:
        return undefined
    }
  }

  async function judgeCommand(request: z.output<typeof commandRequest>): Promise<JudgedCall> {
    const { threadId, itemId, reason, additionalPermissions } = request
    const isExtended = reason != null || additionalPermissions != null
    const rollout = await rolloutOf(threadId)
    const record = rollout === undefined ? undefined : () => openRollout(rollout)
    return callOfCommand(request, isExtended || !(await staysInSandbox(record, itemId, oneByOne)))
  }

  /** The next hub does not get the changes again, so they are kept until the question is answered. */
  function fileOf(item: string): string {
    return join(directory, `codex-patch-${encodeURIComponent(item)}.json`)
  }

  function keepPatch(item: string, changes: readonly FileChange[]): void {
    forgetPatch(item)
    patches.set(item, changes)
    patchBytes += jsonSize(changes)
    for (const oldest of patches.keys()) {
      if (oldest === item || (patches.size <= mostKept && patchBytes <= mostPatchBytes)) break
      forgetPatch(oldest)
    }
  }

  function forgetPatch(item: string): void {
    const changes = patches.get(item)
    if (changes) patchBytes -= jsonSize(changes)
    patches.delete(item)
  }

  /** The changes as an earlier hub kept them. */
  async function keptPatch(item: string): Promise<readonly FileChange[]> {
    try {
      return JSON.parse(await readFile(fileOf(item), 'utf8')) as FileChange[]
    } catch (error) {
      throw new HubError('invalid', `Codex did not say what the patch changes (${messageOf(error)}).`, { cause: error })
    }
  }

  async function judgePatch(item: string): Promise<readonly JudgedCall[]> {
    const known = patches.get(item)
    const changes = known ?? (await keptPatch(item))
    if (known) await writeFile(fileOf(item), JSON.stringify(known), { mode: 0o600 })
    return callsOfPatch(changes, workspace)
  }

  async function decide(id: RequestId, asked: Open): Promise<void> {
    const { threadId, itemId, replies, gone } = asked
    const allowed: AllowedOwnTool[] = []
    running.set(itemId, allowed)
    const [oldest] = running.keys()
    if (running.size > mostKept && oldest !== undefined) endCalls(oldest, 'cancelled')
    for (const call of await asked.calls()) {
      const answer = await ownTools.authorize({
        ...call,
        signal: gone.signal,
        onHeld(approval) {
          asked.inRoom.leave()
          asked.approval = approval
        },
      })
      asked.approval = undefined
      if (answer.is === 'allowed') {
        allowed.push(answer)
        if (asked.ended !== undefined) answer.end(asked.ended)
      }
      if (asked.isOver) return
      if (answer.is === 'refused') {
        // A person may still answer the question, through the next hub.
        if (answer.isUndecided) return
        // The confirmation of the explanation may be behind what is not read while there is no room.
        asked.inRoom.leave()
        if (explanations < mostExplanations) await explainOnce(threadId, answer.reason)
        return finish(id, asked, answer.endsTurn ? replies.cancel : replies.decline)
      }
    }
    finish(id, asked, replies.accept)
  }

  async function explainOnce(threadId: string, reason: string): Promise<void> {
    explanations += 1
    await explain(threadId, reason).finally(() => (explanations -= 1))
  }

  function finish(id: RequestId, asked: Open, result: object): void {
    asked.isOver = true
    asked.inRoom.leave()
    reply(id, result)
  }

  async function answeredElsewhere(asked: Open): Promise<void> {
    const { approval, outcome, gone } = asked
    if (approval === undefined) return gone.abort()
    const timer = setTimeout(() => outcome.resolve('approve'), refusalMs).unref()
    const decision = await outcome.promise
    clearTimeout(timer)
    try {
      await ownTools.answeredInTerminal(approval, decision)
    } catch {
      // The approval was decided elsewhere at the same time. The agent has its answer.
      gone.abort()
    }
  }

  function giveUp(id: RequestId, asked: Open): void {
    asked.isOver = true
    asked.inRoom.leave()
    asked.gone.abort()
    open.delete(id)
  }

  function settle(matches: (asked: Open) => boolean, decision: 'approve' | 'deny'): void {
    for (const asked of open.values()) if (matches(asked)) asked.outcome.resolve(decision)
  }

  function endCalls(item: string, outcome: Ending): void {
    for (const asked of open.values()) if (asked.itemId === item) asked.ended = outcome
    for (const call of running.get(item) ?? []) call.end(outcome)
    running.delete(item)
    forgetPatch(item)
  }

  return {
    take(id, method, params) {
      const asked = readRequest(method, params)
      if (!asked) return false
      if (open.has(id)) return true
      const outcome = Promise.withResolvers<'approve' | 'deny'>()
      const bytes = jsonSize(params)
      const request: Open = {
        ...asked,
        bytes,
        inRoom: room.enter(bytes),
        gone: new AbortController(),
        approval: undefined,
        isOver: false,
        ended: undefined,
        outcome,
      }
      if (isOver) request.gone.abort()
      open.set(id, request)
      const isOpen = (each: Open) => !each.isOver
      forgetOldest(open, mostKept, isOpen)
      forgetOldestBytes(open, mostKeptBytes, isOpen)
      decide(id, request)
        .catch((error: unknown) => {
          // A call that Codex does not describe is its fault, and no news for the log of the hub.
          if (!(error instanceof HubError)) {
            log.error({ session, error: messageOf(error) }, 'could not judge a call of Codex, so it was refused')
          }
          finish(id, request, request.replies.decline)
        })
        // Also if it gets no answer, because the person has answered or the next hub will.
        .finally(() => request.inRoom.leave())
      return true
    },
    resolved(id) {
      const asked = open.get(id)
      if (!asked) return
      void rm(fileOf(asked.itemId), { force: true }).catch(() => {})
      if (asked.isOver) return void open.delete(id)
      asked.isOver = true
      asked.inRoom.leave()
      void answeredElsewhere(asked).finally(() => open.delete(id))
    },
    itemStarted(item) {
      if (item.type === 'fileChange') keepPatch(item.id, item.changes)
    },
    itemEnded(item) {
      if (!('status' in item)) return
      const isRefused = item.status === 'declined'
      settle(({ itemId }) => itemId === item.id, isRefused ? 'deny' : 'approve')
      endCalls(item.id, isRefused ? 'cancelled' : item.status === 'completed' ? 'ok' : 'error')
    },
    turnEnded(thread) {
      settle(({ threadId }) => threadId === thread, 'deny')
      for (const [id, asked] of open) {
        if (asked.threadId !== thread) continue
        endCalls(asked.itemId, 'cancelled')
        if (!asked.isOver) giveUp(id, asked)
      }
    },
    clear() {
      for (const [id, asked] of open) giveUp(id, asked)
    },
    end() {
      isOver = true
      for (const [id, asked] of open) giveUp(id, asked)
    },
  }
}
