/** The requests that both eras share. A face answers each. Differences between the eras are handled outside. */
import { z } from 'zod'
import type { Call, Params } from '../mcp/mcp.ts'
import { errorCode, isRecord, resourceNotFound, RpcError, uriText } from '../mcp/mcp.ts'
import type { Face } from './face.ts'

export interface MethodContext {
  readonly face: Face
  /** The toolsets that the list of tools shows. */
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
  // A wrong name that some clients still send.
  ['resources/listTemplates', listResourceTemplates],
  ['resources/read', readResource],
  ['prompts/list', listed('prompts', (face) => face.listPrompts())],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
])

export function findMethod(name: string): Method | undefined {
  return sharedMethods.get(name)
}

/** Methods of MCP are answered here or not at all. A provider of the face may know any other method. */
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

/** The object itself, not a copy: the policy decides on exactly the arguments that are sent on. */
const argumentsObject = z.custom<Params>(isRecord, 'it must be an object')
const callParams = z.looseObject({ name: z.string(), arguments: argumentsObject.optional() })

/** Each call passes here, and zod would copy it. */
function isCall(params: Params): params is z.output<typeof callParams> {
  const { name, arguments: args } = params
  return typeof name === 'string' && (args === undefined || isRecord(args))
}

async function callTool(params: Params, { face, call }: MethodContext): Promise<object> {
  const { name, arguments: args = {} } = isCall(params) ? params : check(callParams, params)
  const tool = face.findTool(name) ?? (await whenUp(face, () => face.findTool(name), name))
  if (!tool) {
    const why = face.whyMissing(name) ?? 'Call tools/list for the names.'
    throw new RpcError(errorCode.invalidParams, `Unknown tool: "${name.slice(0, 200)}". ${why}`)
  }
  return face.callTool(tool, args, call)
}

/** Looks again after start-up, because a provider that is still starting may have it. */
async function whenUp<Found>(face: Face, find: () => Found | Promise<Found>, tool?: string): Promise<Found> {
  const found = await find()
  if (found !== undefined) return found
  await face.waitForStart({ tool })
  return find()
}

const uriParams = z.looseObject({ uri: uriText })

async function readResource(params: Params, { face, call }: MethodContext): Promise<object> {
  const uri = uriOf(params)
  const contents = await whenUp(face, () => face.readResource(uri, call))
  if (!contents) throw resourceNotFound(uri)
  return contents
}

export function uriOf(params: Params): string {
  return check(uriParams, params).uri
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
  // An upstream checks its arguments itself.
  if (prompt.listed) return face.getPrompt(prompt, {}, call)
  const { arguments: args = {} } = check(promptParams, params)
  const missing = prompt.arguments?.find((argument) => argument.required && args[argument.name] === undefined)
  if (missing) throw new RpcError(errorCode.invalidParams, `The prompt "${name}" needs the argument "${missing.name}".`)
  return face.getPrompt(prompt, args, call)
}

const completeParams = z.looseObject({
  ref: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
    z.looseObject({ type: z.literal('ref/resource'), uri: uriText }),
  ]),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
})

async function complete(params: Params, { face, call }: MethodContext): Promise<object> {
  return face.complete(check(completeParams, params), params, call)
}

type List = (face: Face, toolsets: readonly string[]) => readonly object[] | Promise<readonly object[]>

function listed(name: string, list: List): Method {
  return async (params, { face, toolsets, call }) => {
    await face.waitForStart({ list: call })
    const result = page(name, await list(face, toolsets), params)
    const notes = face.notes()
    return notes ? { ...result, _meta: notes } : result
  }
}

/** Cursors are offsets: the order of a list is fixed, and the client is notified of changes. */
function page(name: string, items: readonly object[], params: Params): object {
  const { cursor } = params
  if (cursor === undefined && items.length <= pageSize) return { [name]: items }
  const start = cursor === undefined ? 0 : typeof cursor === 'string' && /^\d+$/.test(cursor) ? Number(cursor) : -1
  if (start < 0 || start > items.length) {
    throw new RpcError(errorCode.invalidParams, 'Unknown cursor. Leave it out to start again.')
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
