/** The path from a mount to its upstream, with the upstream's own names. */
import type { Call, InputRequired, Params } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Relay } from './definitions.ts'
import type { Listed } from './mount-lists.ts'
import type { MountQuestions } from './question-gate.ts'
import type { RelayedCalls, RelayTarget } from './relayed-call.ts'
import type { UpstreamLease } from './shared-upstreams.ts'
import type { MountTasks } from './task-ids.ts'
import { paramHeaders, paramsFor } from './wire-params.ts'

export interface MountRelay extends Relay {
  /** Passes on a notification from a client. */
  notify(method: string, params: Params, call: Call): Promise<void>
  /** Passes on a method that MCP does not define. */
  other(method: string, params: Params, call: Call): Promise<object | InputRequired>
}

export interface MountRelayOptions {
  readonly calls: RelayedCalls
  readonly tasks: MountTasks
  readonly questions: MountQuestions
  readonly roots: RelayTarget['roots']
  readonly mayNameRoots: RelayTarget['mayNameRoots']
  /** Runs before a call is passed on. */
  readonly prepare: (call: Call) => Promise<void> | undefined
  /** Throws if the upstream cannot be used. */
  lease(): UpstreamLease
}

export function createMountRelay(options: MountRelayOptions): MountRelay {
  const { calls, tasks, questions, roots, mayNameRoots, lease } = options

  async function send(
    method: string,
    params: Params,
    call: Call,
    { isSafe, headers }: { readonly isSafe: boolean; readonly headers?: Readonly<Record<string, string>> | undefined },
  ): Promise<object | InputRequired> {
    const preparing = options.prepare(call)
    if (preparing) await preparing
    return calls.run(
      { lease: lease(), tasks, questions, roots, mayNameRoots },
      { method, params, isSafe, headers },
      call,
    )
  }

  return {
    callTool(original, args, call) {
      const { name, annotations, inputSchema } = original
      const headers = paramHeaders(inputSchema, args)
      const params = paramsFor(call.params, call)
      params['name'] = name
      // Send only the arguments that the policy and the person saw. If the client sent none, send none.
      if (params['arguments'] !== undefined) params['arguments'] = args
      return send('tools/call', params, call, { isSafe: isSafe(annotations), headers })
    },
    read: (method, params, call) => send(method, paramsFor(params, call), call, { isSafe: true }),
    canComplete: () => 'completions' in (lease().upstream.identity?.capabilities ?? {}),
    watch: (uri, call, follower) => lease().watch(uri, follower, call.client.era),
    async notify(method, params, call) {
      using _ = calls.hold(params, call)
      await lease().upstream.notify(method, params, call.client.era)
    },
    other: (method, params, call) => send(method, paramsFor(params, call), call, { isSafe: false }),
  }
}

function isSafe(annotations: Listed[string]): boolean {
  return isRecord(annotations) && (annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true)
}
