/** The way from a mount to its upstream: through the gate, and on under the upstream's own names. */
import type { Call, InputRequired, Params } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Relay } from './definitions.ts'
import type { Gate } from './gate.ts'
import { orWaitingError, orWaitingResult } from './gate-layer.ts'
import type { Listed } from './mount-lists.ts'
import { policyName } from './names.ts'
import { isDenied } from './policy-errors.ts'
import type { RelayedCalls } from './relayed-call.ts'
import { mayAskBack } from './relayed-call.ts'
import type { UpstreamLease } from './shared-upstreams.ts'
import type { MountTasks } from './task-ids.ts'
import { metaFor, paramHeaders, withoutWire } from './wire-params.ts'

export interface MountRelay extends Relay {
  /** What a client says of itself, and expects no answer to. */
  notify(method: string, params: Params, call: Call): Promise<void>
  /** A method that MCP does not know. */
  other(method: string, params: Params, call: Call): Promise<object | InputRequired>
}

export interface MountRelayOptions {
  readonly mount: string
  readonly connector: string
  readonly route: string
  readonly gate: Gate
  readonly calls: RelayedCalls
  readonly tasks: MountTasks
  /** Throws where it cannot be used. */
  lease(): UpstreamLease
}

const noCompletion = { completion: { values: [] } }

export function createMountRelay(options: MountRelayOptions): MountRelay {
  const { mount, connector, route, gate, calls, tasks, lease } = options
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
    return calls.run(tasks.over(leased), request, call)
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
      return send('tools/call', { ...call.params, name }, call, { isSafe: isSafe(annotations), headers })
    },
    request,
    async complete(params, call) {
      // We say that we complete whatever there is; it need not.
      if (!('completions' in (lease().upstream.identity?.capabilities ?? {}))) return noCompletion
      // Nobody is asked at each key that is typed.
      const asked = { ...judged('read', withoutWire(params)), mayAsk: false }
      return gate
        .pass(asked, call, (passed) => send('completion/complete', params, passed, { isSafe: true }))
        .catch((error: unknown) => {
          if (isDenied(error)) return noCompletion
          throw error
        })
    },
    async watch(uri, call, mayAsk, follower = 'clients') {
      const result = await gate.pass({ ...judged('read', { uri }), mayAsk }, call, async () => {
        await lease().watch(uri, follower)
        return {}
      })
      orWaitingError(result)
    },
    async notify(method, params, call) {
      const tell = async () => {
        await lease().upstream.notify(method, params)
        return {}
      }
      // Says nothing but that one may ask.
      if (method === 'notifications/roots/list_changed') await tell()
      else await gate.pass({ ...judged(method, withoutWire(params)), mayAsk: false }, call, tell)
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
