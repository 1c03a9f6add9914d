/** The way from a mount to its upstream: through the gate, and on under the upstream's own names. */
import type { Call, InputRequired, Params } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Relay } from './definitions.ts'
import type { Gate } from './gate.ts'
import { orWaitingError, orWaitingResult } from './gate.ts'
import type { Listed } from './mount-lists.ts'
import { policyName } from './names.ts'
import { createOwnTasks } from './own-tasks.ts'
import type { RelayedCalls } from './relayed-call.ts'
import type { UpstreamLease } from './shared-upstreams.ts'
import { metaFor, paramHeaders, withoutWire } from './wire-params.ts'

export interface MountRelay extends Relay {
  /** Whether a call of a tool began this task. */
  hasBegun(taskId: string): boolean
  /** A method that MCP does not know. */
  other(method: string, params: Params, call: Call): Promise<object | InputRequired>
}

export interface MountRelayOptions {
  readonly mount: string
  readonly connector: string
  readonly route: string
  readonly gate: Gate
  readonly calls: RelayedCalls
  /** Throws where it cannot be used. */
  lease(): UpstreamLease
}

const mayAskBack = new Set(['resources/read', 'prompts/get'])

export function createMountRelay({ mount, connector, route, gate, calls, lease }: MountRelayOptions): MountRelay {
  const tasks = createOwnTasks()
  const judged = (action: string, args: Readonly<Record<string, unknown>>) => ({
    tool: policyName(mount, action),
    arguments: args,
    route,
    upstream: connector,
  })

  async function send(
    method: string,
    params: Params,
    call: Call,
    { isSafe, headers }: { readonly isSafe: boolean; readonly headers?: Readonly<Record<string, string>> | undefined },
  ): Promise<object | InputRequired> {
    const leased = lease()
    const { era } = leased.upstream.identity ?? (await leased.upstream.ready(call.signal))
    const { inputResponses: _, requestState: _1, ...own } = params
    const request = { method, params: { ...own, _meta: metaFor(era, call) }, isSafe, ...(headers && { headers }) }
    return calls.run(leased, request, call)
  }

  async function request(action: string, method: string, params: Params, call: Call) {
    const asked = judged(action, withoutWire(params))
    const result = await gate.pass(asked, call, (passed) => send(method, params, passed, { isSafe: true }))
    return mayAskBack.has(method) ? orWaitingResult(result, call) : orWaitingError(result)
  }

  return {
    async callTool(original, call) {
      const { name, annotations, inputSchema } = original
      const headers = paramHeaders(inputSchema, call.params['arguments'])
      const result = await send('tools/call', { ...call.params, name }, call, { isSafe: isSafe(annotations), headers })
      tasks.note(result)
      return result
    },
    hasBegun: (taskId) => tasks.has(taskId),
    request,
    async complete(params, call) {
      // We say that we complete whatever there is; it need not.
      if (!('completions' in (lease().upstream.identity?.capabilities ?? {}))) return { completion: { values: [] } }
      return request('read', 'completion/complete', params, call)
    },
    async watch(uri, call, mayAsk, follower = 'clients') {
      const result = await gate.pass({ ...judged('read', { uri }), mayAsk }, call, async () => {
        await lease().watch(uri, follower)
        return {}
      })
      orWaitingError(result)
    },
    async other(method, params, call) {
      const asked = judged(method, withoutWire(params))
      return orWaitingError(await gate.pass(asked, call, (passed) => send(method, params, passed, { isSafe: false })))
    },
  }
}

function isSafe(annotations: Listed[string]): boolean {
  return isRecord(annotations) && (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true)
}
