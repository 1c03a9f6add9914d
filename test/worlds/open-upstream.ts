/** One upstream over a real transport, with the notifications and breaches that were reported. */
import { onTestFinished } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createRedactor, type Redactor } from '../../src/base/redact.ts'
import type { UpstreamRequest } from '../../src/upstream/upstream-types.ts'
import type { Upstream, UpstreamTarget } from '../../src/upstream/upstream.ts'
import { createUpstreams } from '../../src/upstream/upstream.ts'
import { caller } from './scripted-upstream.ts'

export interface OpenedUpstream {
  readonly upstream: Upstream
  readonly notices: readonly string[]
  readonly breaches: readonly string[]
  readonly redactor: Redactor
  call(name: string, options?: Partial<UpstreamRequest>): Promise<object>
}

export function openUpstream(reach: UpstreamTarget['reach'], options: Partial<UpstreamTarget> = {}): OpenedUpstream {
  const redactor = createRedactor()
  const notices: string[] = []
  const breaches: string[] = []
  const upstreams = createUpstreams({
    homeId: `test-${process.pid}`,
    info: { name: 'signalbox', version: '1' },
    log: createLog({ level: 'error', redactor }),
    redact: (text) => redactor.text(text),
  })
  const target: UpstreamTarget = {
    name: 'library',
    reach,
    era: 'auto',
    strict: true,
    handshakeMs: 20_000,
    callMs: undefined,
    heartbeatMs: 60_000,
    ...options,
  }
  const upstream = upstreams.open(target, {
    status: () => {},
    notification: (method) => void notices.push(method),
    ask: async () => ({}),
    breach: (sentence) => void breaches.push(sentence),
  })
  onTestFinished(async () => {
    await upstream[Symbol.asyncDispose]()
    await upstreams[Symbol.asyncDispose]()
  })
  return {
    upstream,
    notices,
    breaches,
    redactor,
    call(name, more = {}) {
      const answer = upstream.request('tools/call', { name, arguments: { a: 1 } }, caller(more))
      answer.catch(() => {})
      return answer
    },
  }
}
