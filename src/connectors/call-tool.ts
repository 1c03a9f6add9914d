/**
 * Calls a tool of a connector for a person, over an upstream of its own. No policy decides on it, since policies bind
 * agents. It is recorded like every call.
 */
import { HubError } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import { openCallRecord, type EventLog } from '../events/events.ts'
import type { Call } from '../mcp/mcp.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import type { ConnectorRecord } from './connector-store.ts'
import { chooseLabel } from './labels.ts'
import type { Resolver, SessionPlace } from './resolve.ts'

export interface ToolCall {
  readonly connector: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whose workspace its program gets; without it, the temporary directory. */
  readonly session?: string | undefined
}

export interface ToolAnswer {
  /** False: the tool reports an error, or there is no result. */
  readonly ok: boolean
  readonly ms: number
  /** As the upstream sent it. */
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: string
  readonly stderr?: string
}

export type CallConnectorTool = (
  asked: ToolCall,
  call: Pick<Call, 'correlation' | 'event' | 'caller' | 'signal' | 'progress'>,
) => Promise<ToolAnswer>

/** Sends one request to an upstream that is closed afterwards. */
export type RequestOnce = (
  target: UpstreamTarget,
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal; readonly onProgress?: (step: Readonly<Record<string, unknown>>) => void },
) => Promise<{ readonly result: object } | { readonly error: string; readonly stderr: string }>

export function createCallTool(deps: {
  readonly find: (name: string) => Promise<ConnectorRecord>
  readonly placeOf: (session: string | undefined) => Promise<SessionPlace>
  readonly resolver: Resolver
  readonly request: RequestOnce
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  readonly redactor: Pick<Redactor, 'text' | 'forPerson'>
}): CallConnectorTool {
  const { find, placeOf, resolver, request, events, redactor } = deps
  return async ({ connector: name, tool, arguments: args, session }, call) => {
    const { connector } = await find(name)
    // A connector can be tried before it is switched on.
    const { target } = resolver.resolve({ ...connector, enabled: true }, {}, await placeOf(session))
    const { correlation, event: parent, caller, signal } = call
    const record = await openCallRecord(events, {
      correlation,
      parent,
      route: `mcp:${target.reach.transport}`,
      request: {
        tool: `${chooseLabel(name, undefined)}_${tool}`,
        arguments: args,
        upstream: name,
        role: caller.role,
        token_id: caller.tokenId,
      },
    })
    const startedAt = performance.now()
    const ms = () => Math.round(performance.now() - startedAt)
    try {
      const onProgress = (step: Readonly<Record<string, unknown>>) => passOn(step, call)
      const answer = await request(target, 'tools/call', { name: tool, arguments: args }, { signal, onProgress })
      if ('error' in answer) {
        const error = withoutKnownSecrets(redactor, answer.error)
        record.end({ outcome: 'failed', error: new HubError('unavailable', error) })
        return { ok: false, ms: ms(), error, ...(answer.stderr !== '' && { stderr: answer.stderr }) }
      }
      const result = { ...answer.result } as Readonly<Record<string, unknown>>
      const ok = result['isError'] !== true
      record.end({ outcome: ok ? 'ok' : 'error', bytes: Buffer.byteLength(JSON.stringify(result)) })
      return { ok, ms: ms(), result }
    } catch (error) {
      record.end({ outcome: signal.aborted ? 'cancelled' : 'failed', error })
      throw error
    }
  }
}

function passOn(step: Readonly<Record<string, unknown>>, { progress: report }: Pick<Call, 'progress'>): void {
  const { progress, total, message } = step
  if (typeof progress !== 'number') return
  report({
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  })
}
