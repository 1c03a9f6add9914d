/** The `Call` that a tool, resource or prompt sees, made from what came over the wire. */
import { randomBytes } from 'node:crypto'
import type { Principal } from '../base/principal.ts'
import type { Cancellation } from './cancellation.ts'
import type { Call, Client } from './provider.ts'
import type { LoggingLevel } from './sdk.ts'
import type { Meta, Params, RpcNotification } from './wire.ts'
import { metaOf, notification } from './wire.ts'

export interface CallOptions {
  readonly correlation: string
  readonly caller: Principal
  readonly client: Client
  readonly params: Params
  readonly cancellation: Cancellation
  /** In place of the cancellation's own. */
  readonly signal?: AbortSignal
  /** Nothing below this level is sent; `undefined`: nothing at all. */
  readonly logLevel: LoggingLevel | undefined
  emit(message: RpcNotification): void
  readonly answers?: Readonly<Record<string, unknown>>
  readonly state?: unknown
  readonly releaseStream?: (retryMs: number) => void
  readonly ask?: Call['ask']
}

/** A class for the reason `Cancellation` is one: its getter must not be its own. */
export class RequestCall implements Call {
  readonly correlation: string
  readonly caller: Principal
  readonly client: Client
  readonly params: Params
  readonly logLevel: LoggingLevel | undefined
  readonly answers: Readonly<Record<string, unknown>>
  readonly state: unknown
  readonly releaseStream: (retryMs: number) => void
  readonly ask: Call['ask']
  readonly #options: CallOptions

  constructor(options: CallOptions) {
    this.#options = options
    this.correlation = options.correlation
    this.caller = options.caller
    this.client = options.client
    this.params = options.params
    this.logLevel = options.logLevel
    this.answers = options.answers ?? {}
    this.state = options.state
    this.releaseStream = options.releaseStream ?? (() => {})
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

  passOn(method: string, params: Params | undefined): void {
    const { logLevel, cancellation, emit } = this.#options
    if (cancellation.isCancelled) return
    if (method === 'notifications/message' && !isWanted(params?.['level'], logLevel)) return
    emit(notification(method, params))
  }

  with(change: Partial<Pick<Call, 'state' | 'params' | 'signal'>>): Call {
    return new RequestCall({ ...this.#options, ...change })
  }
}

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** From here on a legacy client hears lines if it never said what it wants. */
export const unaskedLogLevel: LoggingLevel = 'info'

/** Whether somebody who wants to hear from this level on wants to hear it; what says no level is for all. */
export function isWanted(level: unknown, from: LoggingLevel | undefined): boolean {
  return from !== undefined && (!isLoggingLevel(level) || severity(level) >= severity(from))
}

/** The one of two levels from which on more is heard. */
export function moreVerbose(one: LoggingLevel, other: LoggingLevel): LoggingLevel {
  return severity(one) < severity(other) ? one : other
}

function severity(level: LoggingLevel): number {
  return levels.indexOf(level)
}

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (levels as readonly unknown[]).includes(value)
}

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Half random, half counted: as unique as a random one, and far cheaper. */
const ownPrefix = randomBytes(8).toString('hex')
let count = 0

/** The caller's W3C trace id where it sent one, so that its trace and ours are one. */
export function correlationOf(meta: Meta): string {
  const parent = meta['traceparent']
  const traceId = typeof parent === 'string' ? traceparent.exec(parent)?.[1] : undefined
  return traceId ?? `${ownPrefix}${(++count).toString(16).padStart(16, '0')}`
}
