/** Methods that MCP does not define, such as those of extensions. Each goes to the mount that knows it. */
import { z } from 'zod'
import type { Handler, Params } from '../mcp/mcp.ts'
import { errorCode, isRecord, RpcError } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'

/**
 * The handlers to try in order until one knows the method. `mounts`: highest priority first. An empty list means that
 * no mount can know it.
 */
export function requestHandlers(mounts: readonly Mount[], method: string, params: Params): readonly Handler[] {
  const asked = candidates(mounts, method, params)
  if (method === 'tasks/list' && asked.length > 1) return [listTasks(asked, params)]
  return asked.map(({ offers }) => offers.requestHandler(method, params))
}

function candidates(mounts: readonly Mount[], method: string, { taskId }: Params): readonly Mount[] {
  if (!method.startsWith('tasks/')) return mounts
  const able = mounts.length === 1 ? mounts : mounts.filter(hasTasks)
  if (typeof taskId !== 'string') return able
  const owner = mounts.find(({ tasks }) => tasks.owns(taskId))
  const possible = owner ? [owner] : able.filter(({ tasks }) => tasks.mayOwn(taskId))
  if (possible.length > 0 || able.length === 0) return possible
  throw new RpcError(errorCode.invalidParams, `"taskId": no mount has a task "${taskId.slice(0, 100)}".`)
}

/** Lists all tasks of one mount, then those of the next. */
function listTasks(asked: readonly Mount[], { cursor: text, ...params }: Params): Handler {
  const { mount: label, cursor } = readCursor(text)
  const index = label === undefined ? 0 : asked.findIndex(({ bound }) => bound.label === label)
  const mount = asked[index]
  if (!mount) throw new RpcError(errorCode.invalidParams, '"cursor" is not from this list. Start again without it.')
  const handler = mount.offers.requestHandler('tasks/list', cursor === undefined ? params : { ...params, cursor })
  return {
    ...handler,
    async run(call) {
      const { nextCursor, ...listed } = (await handler.run(call)) as { readonly nextCursor?: string }
      const next = nextCursor === undefined ? asked[index + 1] : mount
      return next ? { ...listed, nextCursor: writeCursor({ mount: next.bound.label, cursor: nextCursor }) } : listed
    },
  }
}

function hasTasks({ upstream }: Mount): boolean {
  const capabilities: Readonly<Record<string, unknown>> = upstream?.identity?.capabilities ?? {}
  const { tasks, extensions } = capabilities
  return tasks !== undefined || (isRecord(extensions) && 'io.modelcontextprotocol/tasks' in extensions)
}

const cursorSchema = z.object({ mount: z.string(), cursor: z.string().optional() })
type ListCursor = Partial<z.output<typeof cursorSchema>>

function writeCursor(cursor: ListCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

function readCursor(text: unknown): ListCursor {
  if (text === undefined) return {}
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text as string, 'base64url').toString()))
  } catch {
    return { mount: '' }
  }
}
