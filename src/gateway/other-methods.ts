/** Methods that MCP itself does not answer, such as those of extensions: each is for the mount that knows it. */
import { z } from 'zod'
import type { Call, InputRequired, Params } from '../mcp/mcp.ts'
import { errorCode, isRecord, RpcError } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'

type Answer = Promise<object | InputRequired>

/** `mounts`: highest priority first. `undefined`: none of them could know it. */
export function requestOther(mounts: readonly Mount[], method: string, params: Params, call: Call): Answer | undefined {
  const asked = candidates(mounts, method, params)
  if (asked.length === 0) return undefined
  if (method === 'tasks/list' && asked.length > 1) return listTasks(asked, params, call)
  return firstThatKnows(asked, method, params, call)
}

function candidates(mounts: readonly Mount[], method: string, { taskId }: Params): readonly Mount[] {
  if (!method.startsWith('tasks/')) return mounts
  const able = mounts.length === 1 ? mounts : mounts.filter(hasTasks)
  if (typeof taskId !== 'string') return able
  const owner = mounts.find(({ tasks }) => tasks.owns(taskId))
  const possible = owner ? [owner] : able.filter(({ tasks }) => tasks.mayOwn(taskId))
  if (possible.length > 0 || able.length === 0) return possible
  throw new RpcError(errorCode.invalidParams, `"taskId": no mount has a task "${taskId.slice(0, 100)}" any more.`)
}

/** Whoever does not know a method has done nothing, so the next can be asked. */
async function firstThatKnows(asked: readonly Mount[], method: string, params: Params, call: Call): Answer {
  let refusal: unknown
  for (const mount of asked) {
    try {
      return await mount.request(method, params, call)
    } catch (error) {
      if (!isUnknown(error, method)) throw error
      refusal ??= error
    }
  }
  throw refusal
}

/** All tasks of one mount, then of the next. */
async function listTasks(asked: readonly Mount[], { cursor: text, ...params }: Params, call: Call): Answer {
  const { mount: label, cursor } = readCursor(text)
  const index = label === undefined ? 0 : asked.findIndex(({ bound }) => bound.label === label)
  const mount = asked[index]
  if (!mount) throw new RpcError(errorCode.invalidParams, '"cursor" is none of ours. Begin again without it.')
  const page = await mount.request('tasks/list', cursor === undefined ? params : { ...params, cursor }, call)
  const { nextCursor, ...listed } = page as { readonly nextCursor?: string }
  const next = nextCursor === undefined ? asked[index + 1] : mount
  return next ? { ...listed, nextCursor: writeCursor({ mount: next.bound.label, cursor: nextCursor }) } : listed
}

function hasTasks({ upstream }: Mount): boolean {
  const capabilities: Readonly<Record<string, unknown>> = upstream?.identity?.capabilities ?? {}
  const { tasks, extensions } = capabilities
  return tasks !== undefined || (isRecord(extensions) && 'io.modelcontextprotocol/tasks' in extensions)
}

/** A task that is another's is an invalid parameter. */
function isUnknown(error: unknown, method: string): boolean {
  if (!(error instanceof RpcError)) return false
  if (error.code === errorCode.methodNotFound) return true
  return method.startsWith('tasks/') && error.code === errorCode.invalidParams
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
