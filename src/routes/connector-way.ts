/**
 * A way that calls a tool of a connector, over an upstream of its own that is closed after the call. For a person the
 * call is recorded. For the agent of a session the gate decides on it first: a tool that the agent may not call itself
 * cannot be reached by an action either.
 */
import { toolPolicyName, withoutOtherMeaning } from '../api/policy-names.ts'
import type { ConnectorWay } from '../api/route.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import { openCallRecord } from '../events/events.ts'
import type { Authorized, Gate, Refused } from '../gate/gate.ts'
import { refusalText } from '../gate/gate.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { ActionConnectors, Attempt, Candidate, WayCall } from './route.ts'
import { textOf } from './tool-text.ts'
import { toArguments } from './way-arguments.ts'

export interface ConnectorWayOptions {
  readonly connectors: ActionConnectors
  readonly upstreams: { open(target: UpstreamTarget, listener: UpstreamListener): Upstream }
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  readonly gate: Gate
  /** The error for an agent whose policy forbids the call. */
  readonly refusalError: (refused: Refused, tool: string, correlation: string) => Error
}

type Resolved = Awaited<ReturnType<ActionConnectors['resolveAlone']>>

export async function createConnectorCandidate(
  way: ConnectorWay,
  options: ConnectorWayOptions,
  session: string | undefined,
): Promise<Candidate> {
  const name = `connector ${way.connector}, ${way.tool}`
  const resolved = await resolve(way, options.connectors, session)
  if (typeof resolved === 'string') return { name, ask: async () => unavailable(resolved) }
  return {
    name,
    key: `connector ${way.connector} ${resolved.fingerprint}`,
    ask: (call) => askTool(way, resolved, call, options),
  }
}

async function resolve(
  { connector, tool }: ConnectorWay,
  connectors: ActionConnectors,
  session: string | undefined,
): Promise<Resolved | string> {
  try {
    const resolved = await connectors.resolveAlone(connector, session)
    return resolved.allows(tool) ? resolved : `The connector "${connector}" has its tool "${tool}" switched off.`
  } catch (error) {
    if (error instanceof HubError) return error.message
    throw error
  }
}

async function askTool(
  way: ConnectorWay,
  resolved: Resolved,
  call: WayCall,
  options: ConnectorWayOptions,
): Promise<Attempt> {
  const { target } = resolved
  const args = toArguments(way.arguments, call.action, call.input)
  const admitted = await admit(way, resolved, args, call, options)
  if (typeof admitted === 'string') return unavailable(admitted)
  const upstream = options.upstreams.open(target, listener)
  let isSent = false
  try {
    await upstream.ready(call.signal)
    isSent = true
    const { text, isError } = textOf(await callTool(upstream, way.tool, args, call))
    admitted.end({ outcome: isError ? 'error' : 'ok', bytes: Buffer.byteLength(text) })
    const route = routeOf(target)
    return isError ? { is: 'failed', reason: text, route } : { is: 'answered', text, route }
  } catch (error) {
    admitted.end({ outcome: call.signal.aborted ? 'cancelled' : 'failed', error })
    call.signal.throwIfAborted()
    const reason = messageOf(error)
    return isSent ? { is: 'failed', reason, route: routeOf(target) } : unavailable(reason, true)
  } finally {
    // Some programs take seconds to end. The answer does not wait for that.
    void upstream[Symbol.asyncDispose]()
  }
}

function callTool(
  upstream: Upstream,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { signal, progress, isSafeToRepeat }: WayCall,
): Promise<object> {
  return upstream.request(
    'tools/call',
    { name, arguments: args },
    {
      signal,
      client: { capabilities: {} },
      isSafe: isSafeToRepeat,
      onProgress(step) {
        const { progress: at, total, message } = step
        if (typeof at !== 'number') return
        progress({
          progress: at,
          ...(typeof total === 'number' && { total }),
          ...(typeof message === 'string' && { message }),
        })
      },
      onAsk: refuseQuestion,
    },
  )
}

type Admitted = Pick<Authorized, 'end'>

/** Records the call. Returns the reason if it may not run. */
async function admit(
  { tool }: ConnectorWay,
  { target, mounts }: Resolved,
  args: Readonly<Record<string, unknown>>,
  { place, signal, progress }: WayCall,
  { events, gate, refusalError }: ConnectorWayOptions,
): Promise<Admitted | string> {
  const [name = tool, ...aliases] = policyNames(mounts, tool)
  const names = { tool: name, arguments: args, upstream: target.name }
  const { correlation, parent, thread } = place
  const where = { correlation, parent, thread, route: routeOf(target) }
  if (place.session === undefined) return openCallRecord(events, { ...where, request: names })
  const authorization = await gate.authorize({
    ...where,
    ...names,
    session: place.session,
    aliases,
    signal,
    progress,
    // A person set the way, so the default does not ask. The next way may need no approval.
    isAllowedUnlessRuled: true,
    mayAsk: false,
  })
  switch (authorization.status) {
    case 'allowed':
      return authorization
    case 'cancelled':
      throw new RpcError(errorCode.cancelled, 'The call was cancelled before it ran.')
    case 'aborted':
      // The agent must end its turn, so no other way is asked.
      throw refusalError(authorization, name, correlation)
    case 'pending':
      return `It waits for the approval ${authorization.approval}.`
    case 'denied':
    case 'expired':
    case 'abandoned':
    case 'failed':
      return refusalText(authorization, name)
  }
}

/** Every name under which a rule may mean the tool: as the upstream writes it, and as an agent sees it. */
function policyNames(mounts: readonly string[], tool: string): readonly string[] {
  const plain = withoutOtherMeaning(tool.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_'))
  const namesIn = (mount: string) => [toolPolicyName(mount, tool), `${mount}_${plain}`, `${mount}_${tool}`]
  return [...new Set([...mounts.flatMap(namesIn), tool])]
}

function routeOf({ reach }: UpstreamTarget): string {
  return `mcp:${reach.transport}`
}

function unavailable(reason: string, isUnreachable = false): Attempt {
  return { is: 'unavailable', reason, isUnreachable }
}

/** An action has no client that could answer a question of the upstream. */
async function refuseQuestion({ method }: { readonly method: string }): Promise<object> {
  if (method === 'roots/list') return { roots: [] }
  throw new RpcError(errorCode.methodNotFound, `An action cannot answer ${method.slice(0, 100)}.`)
}

const listener: UpstreamListener = { status() {}, notification() {}, breach() {}, ask: refuseQuestion }
