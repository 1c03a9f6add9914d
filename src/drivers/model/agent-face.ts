/** The built-in agent's view of the hub: the compositor of its session, called in the hub's own process. */
import { randomUUID } from 'node:crypto'
import { essentials } from '../../api/toolsets.ts'
import { policyErrorCodes } from '../../api/policy-errors.ts'
import type { Log } from '../../base/log.ts'
import type { Call, FaceContents, Params } from '../../mcp/mcp.ts'
import { failureOf, isRecord, RpcError } from '../../mcp/mcp.ts'
import type { ModelCall, ModelTool } from '../../models/models.ts'
import { readInput } from '../../models/models.ts'

export type AgentFace = Pick<
  FaceContents,
  'listTools' | 'findTool' | 'callTool' | 'readResource' | 'waitForStart' | 'whyMissing'
>

export interface FaceUser {
  readonly session: string
  readonly face: AgentFace
  /** The correlation of the turn. */
  readonly correlation: string | undefined
  readonly log: Log
}

export interface ToolOutcome {
  readonly text: string
  readonly isError: boolean
  /** The policy or a person ended the turn. */
  readonly isAborted: boolean
}

/** A longer result would fill the context of the model. It is cut in the middle, since both ends show its nature. */
const mostCharacters = 60_000

/** Appears in the record. It also decides how long a call waits for an approval. */
export const clientName = 'signalbox-assistant'

export async function listTools({ face }: FaceUser): Promise<readonly ModelTool[]> {
  return (await face.listTools([essentials])).map((listed) => {
    const { name, description, inputSchema } = listed as Readonly<Record<string, unknown>>
    return {
      name: String(name),
      // An upstream may send a description of any type.
      description: typeof description === 'string' ? description : '',
      inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    }
  })
}

export async function callTool(user: FaceUser, { name, input }: ModelCall, signal: AbortSignal): Promise<ToolOutcome> {
  const args = readInput(input)
  if (!args) return failed('The arguments are not a JSON object. The call has not run.')
  const { face, log } = user
  try {
    if (!face.findTool(name)) await face.waitForStart({ tool: name })
    const tool = face.findTool(name)
    if (!tool) return failed(`There is no tool "${name}". ${face.whyMissing(name) ?? ''}`.trim())
    const call = innerCall(user, { name, arguments: args }, signal)
    const result = await untilAborted(face.callTool(tool, args, call), signal)
    return { text: cut(textOf(result)), isError: 'isError' in result && result.isError === true, isAborted: false }
  } catch (error) {
    signal.throwIfAborted()
    const onBug = (bug: unknown) => log.error({ error: bug, session: user.session, tool: name }, 'a tool call failed')
    const { response } = failureOf(0, error, onBug)
    const message = 'error' in response ? response.error.message : ''
    return { ...failed(message), isAborted: error instanceof RpcError && error.code === policyErrorCodes.abort }
  }
}

/**
 * The followed resources that have changed, each with the time of its last change. Empty if the face does not list them.
 */
export async function followedResources(user: FaceUser, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const uri = 'resource://subscriptions'
  const result = await user.face.readResource(uri, innerCall(user, { uri }, signal))
  const contents = result && 'contents' in result && Array.isArray(result.contents) ? result.contents : []
  const text = (contents[0] as { text?: unknown } | undefined)?.text
  const { subscriptions = [] } = (typeof text === 'string' ? JSON.parse(text) : {}) as {
    subscriptions?: readonly { server: string; uri: string; changed_at?: string }[]
  }
  return new Map(
    subscriptions.flatMap(({ server, uri: followed, changed_at: at }) =>
      at === undefined ? [] : [[`${followed} of ${server}`, at] as const],
    ),
  )
}

/** Some tools end late after they were cancelled. */
async function untilAborted<Result>(running: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([running, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function failed(text: string): ToolOutcome {
  return { text, isError: true, isAborted: false }
}

/** Made by the agent of the session, so the gate decides on it and records it. */
function innerCall(user: Pick<FaceUser, 'session' | 'correlation'>, params: Params, signal: AbortSignal): Call {
  const { session, correlation = randomUUID().replaceAll('-', '') } = user
  const call: Call = {
    correlation,
    caller: { tokenId: `agent of ${session}`, role: 'agent', session },
    client: { era: 'legacy', version: '2025-11-25', capabilities: {}, info: { name: clientName, version: '1' } },
    params,
    logLevel: undefined,
    signal,
    answers: {},
    state: undefined,
    progress() {},
    log() {},
    releaseStream() {},
    async answerIfLost() {},
    forward() {},
    with: ({ params: other = params, signal: until = signal, ...change }) => ({
      ...innerCall({ session, correlation }, other, until),
      ...change,
    }),
  }
  return call
}

/** The text of a result. In place of an image, the model gets its kind and size. */
function textOf(result: object): string {
  const { content, structuredContent } = result as { content?: unknown; structuredContent?: unknown }
  const blocks = Array.isArray(content) ? (content as unknown[]) : []
  const texts = blocks.filter(isRecord).map(textOfBlock)
  if (texts.length > 0) return texts.join('\n')
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent)
}

function textOfBlock(block: Readonly<Record<string, unknown>>): string {
  const { type, text, data, mimeType, resource } = block
  if (typeof text === 'string') return text
  if (isRecord(resource) && typeof resource['text'] === 'string') return resource['text']
  if (typeof data === 'string') {
    return `[${String(type)} ${String(mimeType)}, about ${Math.round((data.length * 3) / 4)} bytes, not shown]`
  }
  return JSON.stringify(block)
}

function cut(text: string): string {
  if (text.length <= mostCharacters) return text
  const half = mostCharacters / 2
  return `${text.slice(0, half)}\n[${text.length - mostCharacters} characters were left out here]\n${text.slice(-half)}`
}
