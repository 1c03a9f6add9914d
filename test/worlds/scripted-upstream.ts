/**
 * An upstream that a test controls, over a transport in memory that can fail in every way a real one can. By default it
 * answers the handshake and subscriptions, and nothing else.
 */
import { onTestFinished } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createRedactor } from '../../src/base/redact.ts'
import type { Params, RpcMessage, RpcRequest } from '../../src/mcp/wire.ts'
import { failure, isRequest, metaKey, modernVersion, notification, success } from '../../src/mcp/wire.ts'
import { createUpstream } from '../../src/upstream/create-upstream.ts'
import { createDualUpstream } from '../../src/upstream/dual-upstream.ts'
import { createQuestionBudget } from '../../src/upstream/question-budget.ts'
import type { SendOptions, TransportListener, UpstreamTransport } from '../../src/upstream/transport.ts'
import type {
  AnyRequest,
  Upstream,
  UpstreamListener,
  UpstreamRequest,
  UpstreamStatus,
  UpstreamTarget,
} from '../../src/upstream/upstream-types.ts'
import { until } from '../fixtures/until.ts'

/** One connection, as the upstream sees it. */
export interface Line {
  readonly sent: readonly RpcMessage[]
  readonly headersOf: (id: RpcRequest['id']) => SendOptions['headers']
  readonly abandoned: readonly RpcRequest['id'][]
  readonly agreed: readonly string[]
  readonly isClosed: boolean
  /** Waits for the `count`-th request of this method. */
  got(method: string, count?: number): Promise<RpcRequest>
  say(message: unknown, during?: RpcRequest): void
  answer(request: RpcRequest, result: object): void
  refuse(request: RpcRequest, code: number, message: string, data?: unknown): void
  notify(method: string, params?: Params, during?: RpcRequest): void
  breaks: TransportListener
}

export interface Script {
  readonly target?: Partial<UpstreamTarget>
  readonly capabilities?: Params
  /** Returns true if it has handled the message. Otherwise the default answer is sent. */
  readonly on?: (message: RpcRequest, line: Line) => boolean | void
  /** Returns an error that the transport throws instead of sending. */
  readonly onSend?: (message: RpcMessage, line: Line) => Error | undefined
  readonly onStart?: (line: Line) => Promise<void> | void
  readonly onClose?: (line: Line) => Promise<void> | void
  readonly stderr?: string
  /** Whether it may be opened once for each era. */
  readonly isDual?: boolean
  /** False for HTTP without connections. */
  readonly canAsk?: boolean
}

export interface World {
  readonly upstream: Upstream
  readonly lines: readonly Line[]
  /** Waits until there are `count` connections, and returns the newest. */
  line(count?: number): Promise<Line>
  readonly statuses: readonly UpstreamStatus[]
  readonly notices: readonly (readonly [string, Params | undefined])[]
  readonly breaches: readonly string[]
  readonly asked: readonly AnyRequest[]
  call(params?: Params, options?: Partial<UpstreamRequest>): Promise<object>
}

export const stdio = { transport: 'stdio', command: 'x', args: [], env: {}, cwd: '/' } as const
export const http = { transport: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} } as const
const everything = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
}

export function scriptedUpstream(script: Script = {}): World {
  const lines: Line[] = []
  const statuses: UpstreamStatus[] = []
  const notices: (readonly [string, Params | undefined])[] = []
  const breaches: string[] = []
  const asked: AnyRequest[] = []
  const redactor = createRedactor()
  redactor.addSecret('hunter2-hunter2')
  const target: UpstreamTarget = {
    name: 'books',
    reach: stdio,
    era: 'auto',
    strict: true,
    handshakeMs: 5_000,
    callMs: undefined,
    heartbeatMs: 60_000,
    ...script.target,
  }
  const ownListener: UpstreamListener = {
    status: (status) => void statuses.push(status),
    notification: (method, params) => void notices.push([method, params]),
    ask: async (request) => {
      asked.push(request)
      return { from: 'the hub' }
    },
    breach: (sentence) => void breaches.push(sentence),
  }
  const log = createLog({ level: 'error', redactor })
  const questionBudget = createQuestionBudget()
  const openSide = (from: UpstreamTarget, listener: UpstreamListener) =>
    createUpstream({
      target: from,
      connect: () => transportFor(script, lines),
      listener,
      info: { name: 'signalbox', version: '1' },
      log,
      redact: (text) => redactor.text(text),
      questionBudget,
      // Makes the backoff a hundredth as long.
      random: () => -0.49,
    })
  const upstream = script.isDual
    ? createDualUpstream({ target, listener: ownListener, openSide, oneEra: new Set(), log })
    : openSide(target, ownListener)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  return {
    upstream,
    lines,
    line: (count = 1) => until(() => lines.length >= count && lines.at(-1)),
    statuses,
    notices,
    breaches,
    asked,
    call(params = { name: 'read' }, options = {}) {
      const answer = upstream.request('tools/call', params, caller(options))
      // Some tests do not await every answer.
      answer.catch(() => {})
      return answer
    },
  }
}

export function caller(options: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { signal: new AbortController().signal, client: { capabilities: {} }, isSafe: false, ...options }
}

function transportFor(script: Script, lines: Line[]): UpstreamTransport {
  const sent: RpcMessage[] = []
  const headers = new Map<unknown, SendOptions['headers']>()
  const abandoned: RpcRequest['id'][] = []
  const agreed: string[] = []
  let isClosed = false
  let listener: TransportListener | undefined

  const line: Line = {
    sent,
    headersOf: (id) => headers.get(id),
    abandoned,
    agreed,
    get isClosed() {
      return isClosed
    },
    got: (method, count = 1) =>
      until(() => sent.filter((message) => isRequest(message) && message.method === method)[count - 1] as RpcRequest),
    say: (message, during) => listener?.message(message, during),
    answer: ({ id }, result) => listener?.message(success(id, result)),
    refuse: ({ id }, code, message, data) => listener?.message(failure(id, { code, message, data })),
    notify: (method, params, during) => listener?.message(notification(method, params), during),
    breaks: {
      message: () => false,
      garbage: (reason) => listener?.garbage(reason),
      lost: (request, reason) => listener?.lost(request, reason),
      closed: (reason) => listener?.closed(reason),
      forgotten: () => listener?.forgotten(),
    },
  }
  lines.push(line)

  return {
    async start(given) {
      listener = given
      await script.onStart?.(line)
    },
    async send(message, options) {
      const error = script.onSend?.(message, line)
      if (error) throw error
      sent.push(message)
      if (!isRequest(message)) return
      headers.set(message.id, options?.headers)
      // Asynchronous, as over a real transport.
      setImmediate(() => {
        if (script.on?.(message, line) !== true) answerByDefault(message, line, script.capabilities ?? everything)
      })
    },
    agree: (version) => void agreed.push(version),
    abandon: (id) => void abandoned.push(id),
    async close() {
      listener = undefined
      await script.onClose?.(line)
      isClosed = true
    },
    canAsk: script.canAsk ?? true,
    stderr: script.stderr ?? '',
  }
}

function answerByDefault(request: RpcRequest, line: Line, capabilities: Params): void {
  const { method, params } = request
  switch (method) {
    case 'initialize':
      return line.answer(request, {
        protocolVersion: params?.['protocolVersion'],
        capabilities,
        serverInfo: { name: 'books', version: '9', motto: 'kept as it came' },
      })
    case 'resources/subscribe':
    case 'resources/unsubscribe':
    case 'ping':
      return line.answer(request, {})
  }
}

/** The default answers of an upstream of 2026-07-28. */
export function modern(request: RpcRequest, line: Line, capabilities: Params = everything): boolean {
  const { id, method, params } = request
  if (method === 'server/discover') {
    const _meta = { [metaKey.serverInfo]: { name: 'books', version: '9' } }
    const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    line.answer(request, { supportedVersions: [modernVersion], capabilities, ...hints, _meta })
  } else if (method === 'initialize') {
    line.refuse(request, -32601, 'Method not found')
  } else if (method === 'subscriptions/listen') {
    const _meta = { [metaKey.subscriptionId]: id }
    line.notify('notifications/subscriptions/acknowledged', { notifications: params?.['notifications'], _meta })
  } else {
    return false
  }
  return true
}
