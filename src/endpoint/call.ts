/** The `Call` that a tool, resource or prompt sees, made from a request on the wire. */
import { randomBytes } from 'node:crypto'
import type { Principal } from '../base/principal.ts'
import type { Call, Client, LoggingLevel, Meta, Params, RpcNotification } from '../mcp/mcp.ts'
import { isWanted, metaOf, notification, severity, traceContextOf } from '../mcp/mcp.ts'
import type { Cancellation } from './cancellation.ts'

export interface CallOptions {
  readonly correlation: string
  readonly event?: string | undefined
  readonly caller: Principal
  readonly client: Client
  readonly params: Params
  readonly cancellation: Cancellation
  /** Replaces the signal of the cancellation. */
  readonly signal?: AbortSignal
  /** The lowest level that is sent. `undefined`: no log lines at all. */
  readonly logLevel: LoggingLevel | undefined
  emit(message: RpcNotification): void
  readonly answers?: Readonly<Record<string, unknown>>
  readonly state?: unknown
  readonly releaseStream?: (retryMs: number) => void
  readonly answerIfLost?: Call['answerIfLost']
  readonly onAway?: Call['onAway']
  readonly ask?: Call['ask']
}

/** A class for the same reason as `Cancellation`: its getter must be on the prototype. */
export class RequestCall implements Call {
  readonly correlation: string
  readonly event: string | undefined
  readonly caller: Principal
  readonly client: Client
  readonly params: Params
  readonly logLevel: LoggingLevel | undefined
  readonly answers: Readonly<Record<string, unknown>>
  readonly state: unknown
  readonly releaseStream: (retryMs: number) => void
  readonly answerIfLost: Call['answerIfLost']
  readonly onAway: Call['onAway']
  readonly ask: Call['ask']
  readonly #options: CallOptions

  constructor(options: CallOptions) {
    this.#options = options
    this.correlation = options.correlation
    this.event = options.event
    this.caller = options.caller
    this.client = options.client
    this.params = options.params
    this.logLevel = options.logLevel
    this.answers = options.answers ?? {}
    this.state = options.state
    this.releaseStream = options.releaseStream ?? (() => {})
    this.answerIfLost = options.answerIfLost ?? (async () => {})
    this.onAway = options.onAway
    this.ask = options.ask
  }

  get signal(): AbortSignal {
    return this.#options.signal ?? this.#options.cancellation.signal
  }

  progress(step: { progress: number; total?: number; message?: string }): void {
    const { params, cancellation, emit } = this.#options
    const progressToken = metaOf(params)['progressToken']
    if (progressToken === undefined || cancellation.isCancelled) return
    emit(notification('notifications/progress', { ...step, progressToken }))
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel, cancellation, emit } = this.#options
    if (logLevel === undefined || cancellation.isCancelled || severity(level) < severity(logLevel)) return
    emit(notification('notifications/message', { level, data, ...(logger !== undefined && { logger }) }))
  }

  forward(method: string, params: Params | undefined): void {
    const { logLevel, cancellation, emit } = this.#options
    if (cancellation.isCancelled) return
    if (method === 'notifications/message' && !isWanted(params?.['level'], logLevel)) return
    emit(notification(method, params))
  }

  with(change: Parameters<Call['with']>[0]): Call {
    return new RequestCall({ ...this.#options, ...change })
  }
}

/** Half random, half a counter: as unique as a random id, and far cheaper. */
const ownPrefix = randomBytes(8).toString('hex')
let count = 0

/** Takes the caller's W3C trace id, if it sent one, so that its trace and ours are the same. */
export function correlationOf(meta: Meta): string {
  return traceContextOf(meta)?.traceId ?? `${ownPrefix}${(++count).toString(16).padStart(16, '0')}`
}
