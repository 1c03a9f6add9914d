/** The notifications of Codex's app-server. */
import { z } from 'zod'
import { agentId } from '../port/agent-id.ts'
import type { RequestId } from './app-server.ts'
import { updatedSettings } from './governing.ts'
import type { ThreadItem } from './thread-items.ts'
import { readItem } from './thread-items.ts'
import type { Tokens, Turn } from './turns.ts'
import { tokensSchema, turnSchema } from './turns.ts'

export type ThreadStatus = 'idle' | 'active' | 'waiting' | 'failed'

const statusSchema = z.looseObject({ type: z.string(), activeFlags: z.array(z.string()).default([]) })

export const threadSchema = z.object({
  id: agentId,
  path: agentId.nullish(),
  parentThreadId: agentId.nullish(),
  recencyAt: z.number().nullish(),
  status: statusSchema,
  turns: z.array(turnSchema),
})
export type CodexThread = z.output<typeof threadSchema>

const startedNotice = z.object({ thread: threadSchema })
const statusNotice = z.object({ threadId: agentId, status: statusSchema })
const settingsNotice = z.object({ threadId: agentId, threadSettings: updatedSettings })
const tokenNotice = z.object({ threadId: agentId, tokenUsage: z.object({ total: tokensSchema }) })
const turnNotice = z.object({ threadId: agentId, turn: turnSchema })
const itemNotice = z.object({ threadId: agentId, item: z.unknown().optional() })
const deltaNotice = z.object({ threadId: agentId, itemId: agentId, delta: z.string() })
const resolvedNotice = z.object({ requestId: z.union([agentId, z.number()]) })

export interface NotificationHandlers {
  threadStarted(thread: CodexThread): void
  statusChanged(thread: string, status: ThreadStatus): void
  settingsUpdated(thread: string, settings: z.output<typeof updatedSettings>): void
  /** All tokens of the thread so far. */
  tokensUsed(thread: string, total: Tokens): void
  turnStarted(thread: string, turn: Turn): void
  turnCompleted(thread: string, turn: Turn): void
  itemStarted(thread: string, item: ThreadItem): void
  itemCompleted(thread: string, item: ThreadItem): void
  textAdded(
    thread: string,
    delta: { readonly itemId: string; readonly type: 'text' | 'thinking'; readonly text: string },
  ): void
  /** A client has answered a request of the server. */
  requestResolved(request: RequestId): void
  accountChanged(): void
}

/** Ignores notifications that the hub does not need or does not understand. */
export function handleNotification(method: string, params: unknown, handlers: NotificationHandlers): void {
  switch (method) {
    case 'thread/started':
      return take(startedNotice, params, ({ thread }) => handlers.threadStarted(thread))
    case 'thread/status/changed':
      return take(statusNotice, params, ({ threadId, status }) => handlers.statusChanged(threadId, statusOf(status)))
    case 'thread/settings/updated':
      return take(settingsNotice, params, ({ threadId, threadSettings }) =>
        handlers.settingsUpdated(threadId, threadSettings),
      )
    case 'thread/tokenUsage/updated':
      return take(tokenNotice, params, ({ threadId, tokenUsage }) => handlers.tokensUsed(threadId, tokenUsage.total))
    case 'turn/started':
      return take(turnNotice, params, ({ threadId, turn }) => handlers.turnStarted(threadId, turn))
    case 'turn/completed':
      return take(turnNotice, params, ({ threadId, turn }) => handlers.turnCompleted(threadId, turn))
    case 'item/started':
      return takeItem(params, handlers.itemStarted)
    case 'item/completed':
      return takeItem(params, handlers.itemCompleted)
    case 'item/agentMessage/delta':
      return take(deltaNotice, params, ({ threadId, itemId, delta: text }) =>
        handlers.textAdded(threadId, { itemId, type: 'text', text }),
      )
    case 'item/reasoning/summaryTextDelta':
    case 'item/reasoning/textDelta':
      return take(deltaNotice, params, ({ threadId, itemId, delta: text }) =>
        handlers.textAdded(threadId, { itemId, type: 'thinking', text }),
      )
    case 'serverRequest/resolved':
      return take(resolvedNotice, params, ({ requestId }) => handlers.requestResolved(requestId))
    case 'account/updated':
    case 'account/login/completed':
      return handlers.accountChanged()
    default:
  }
}

export function statusOf({ type, activeFlags }: z.output<typeof statusSchema>): ThreadStatus {
  if (type === 'systemError') return 'failed'
  if (type !== 'active') return 'idle'
  return activeFlags.length > 0 ? 'waiting' : 'active'
}

function takeItem(params: unknown, use: (thread: string, item: ThreadItem) => void): void {
  take(itemNotice, params, ({ threadId, item: value }) => {
    const item = readItem(value)
    if (item) use(threadId, item)
  })
}

function take<Notice>(schema: z.ZodType<Notice>, params: unknown, use: (notice: Notice) => void): void {
  const { data } = schema.safeParse(params)
  if (data !== undefined) use(data)
}
