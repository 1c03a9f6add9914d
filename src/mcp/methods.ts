/** The requests that both eras share, each answered from a face. What differs per era wraps these. */
import { z } from 'zod'
import type { Face } from './face.ts'
import type { Call } from './provider.ts'
import type { Params } from './wire.ts'
import { errorCode, RpcError } from './wire.ts'

export interface MethodContext {
  readonly face: Face
  /** Which tools the list shows. */
  readonly toolsets: readonly string[]
  readonly call: Call
}

export type Method = (params: Params, context: MethodContext) => object | Promise<object>

const pageSize = 500

const listResourceTemplates = listed('resourceTemplates', (face) => face.listResourceTemplates())

const sharedMethods = new Map<string, Method>([
  ['tools/list', listed('tools', (face, toolsets) => face.listTools(toolsets))],
  ['tools/call', callTool],
  ['resources/list', listed('resources', (face) => face.listResources())],
  ['resources/templates/list', listResourceTemplates],
  // An old misnomer that clients still send.
  ['resources/listTemplates', listResourceTemplates],
  ['resources/read', readResource],
  ['prompts/list', listed('prompts', (face) => face.listPrompts())],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
])

export function findMethod(name: string): Method | undefined {
  return sharedMethods.get(name)
}

/** What is MCP's own is answered here or not at all; anything else may be known to one of the face's providers. */
export function otherMethod(name: string): Method {
  return (params, { face, call }) => {
    const answer = isOfMcp(name) ? undefined : face.request(name, params, call)
    if (answer) return answer
    const status = call.client.era === 'modern' ? { status: 404 } : {}
    throw new RpcError(errorCode.methodNotFound, `Method not found: ${name.slice(0, 200)}`, status)
  }
}

function isOfMcp(name: string): boolean {
  return /^(initialize|ping|(server|tools|resources|prompts|completion|logging|subscriptions)\/.*)$/.test(name)
}

const callParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() })

async function callTool(params: Params, { face, call }: MethodContext): Promise<object> {
  const { name, arguments: args } = check(callParams, params)
  const tool = await whenUp(face, () => face.findTool(name), name)
  if (!tool) {
    const why = face.whyMissing(name) ?? 'Call tools/list for the names.'
    throw new RpcError(errorCode.invalidParams, `Unknown tool: "${name.slice(0, 200)}". ${why}`)
  }
  return face.callTool(tool, args ?? {}, call)
}

/** What is not there yet may be on its way. */
async function whenUp<Found>(face: Face, find: () => Found | Promise<Found>, tool?: string): Promise<Found> {
  const found = await find()
  if (found !== undefined) return found
  await face.comingUp(tool)
  return find()
}

const uriParams = z.looseObject({ uri: z.string() })

async function readResource(params: Params, { face, call }: MethodContext): Promise<object> {
  const uri = uriOf(params)
  const contents = await whenUp(face, () => face.readResource(uri, call))
  if (!contents) throw resourceNotFound(uri)
  return contents
}

export function uriOf(params: Params): string {
  return check(uriParams, params).uri
}

export function resourceNotFound(uri: string): RpcError {
  return new RpcError(errorCode.invalidParams, `Resource not found: ${uri.slice(0, 200)}`, { data: { uri } })
}

const promptParams = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() })
const namedParams = z.looseObject({ name: z.string() })

async function getPrompt(params: Params, { face, call }: MethodContext): Promise<object> {
  const { name } = check(namedParams, params)
  const prompt = await whenUp(face, () => face.findPrompt(name))
  if (!prompt) {
    throw new RpcError(
      errorCode.invalidParams,
      `Unknown prompt: "${name.slice(0, 200)}". Call prompts/list for the names.`,
    )
  }
  // An upstream judges its arguments itself.
  if (prompt.listed) return prompt.get({}, call)
  const { arguments: args = {} } = check(promptParams, params)
  const missing = prompt.arguments?.find((argument) => argument.required && args[argument.name] === undefined)
  if (missing) throw new RpcError(errorCode.invalidParams, `The prompt "${name}" needs the argument "${missing.name}".`)
  return prompt.get(args, call)
}

const completeParams = z.looseObject({
  ref: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
    z.looseObject({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
})

const maxCompletions = 100

async function complete(params: Params, { face, call }: MethodContext): Promise<object> {
  const { ref, argument } = check(completeParams, params)
  const completers =
    ref.type === 'ref/prompt' ? face.findPrompt(ref.name)?.complete : face.findResourceTemplate(ref.uri)?.complete
  if (typeof completers === 'function') return completers(params, call)
  const completer = completers && Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined
  const values = (await completer?.(argument.value)) ?? []
  return {
    completion: {
      values: values.slice(0, maxCompletions),
      total: values.length,
      hasMore: values.length > maxCompletions,
    },
  }
}

type List = (face: Face, toolsets: readonly string[]) => readonly object[] | Promise<readonly object[]>

function listed(name: string, list: List): Method {
  return async (params, { face, toolsets }) => {
    await face.comingUp()
    const result = page(name, await list(face, toolsets), params)
    const notes = face.notes()
    return notes ? { ...result, _meta: notes } : result
  }
}

/** Cursors are offsets: the lists are in a fixed order, and a client that pages is told of changes. */
function page(name: string, items: readonly object[], params: Params): object {
  const { cursor } = params
  if (cursor === undefined && items.length <= pageSize) return { [name]: items }
  const start = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isInteger(start) || start < 0 || start > items.length) {
    throw new RpcError(errorCode.invalidParams, 'Unknown cursor. Ask without a cursor to begin again.')
  }
  const end = start + pageSize
  return { [name]: items.slice(start, end), ...(end < items.length && { nextCursor: String(end) }) }
}

export function check<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params)
  if (parsed.success) return parsed.data
  const findings = parsed.error.issues.map((issue) => `params.${issue.path.join('.')}: ${issue.message}`)
  throw new RpcError(errorCode.invalidParams, `Invalid params: ${findings.join('; ')}`)
}
