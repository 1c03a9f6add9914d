/**
 * An upstream that may speak both eras. Translation between the eras loses something: a modern server refuses tools
 * that ask in the middle of a call, and a legacy server does not say which questions belong together. So each client is
 * served in its own era if the upstream speaks it.
 *
 * The era of the first call decides which side provides the lists and is shown to people. The side of the other era is
 * opened when a client of that era calls; over stdio that is a second process.
 */
import type { Log } from '../base/log.ts'
import type { Client, LoggingLevel } from '../mcp/mcp.ts'
import type { UpstreamSide } from './create-upstream.ts'
import { usualEra } from './handshake.ts'
import { abortable } from '../base/abortable.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from './upstream-types.ts'

export interface DualUpstreamOptions {
  readonly target: UpstreamTarget
  readonly listener: UpstreamListener
  readonly openSide: (target: UpstreamTarget, listener: UpstreamListener) => UpstreamSide
  /** Targets known to speak one era only, so that the next session does not try the other again. */
  readonly oneEra: Set<string>
  readonly log: Log
}

type Era = Client['era']

interface Side {
  readonly upstream: UpstreamSide
  readonly uris: Set<string>
  running: number
  /** The side is closed as soon as no request runs on it. */
  isRetired: boolean
}

/**
 * How long a call waits for the other era to open. A program that ignores `server/discover` gets `initialize` after
 * half of this time.
 */
const maxProbeMs = 10_000

export function mayBeDual({ era, reach }: UpstreamTarget): boolean {
  return era === 'auto' && reach.transport !== 'sse'
}

export function createDualUpstream({ target, listener, openSide, oneEra, log }: DualUpstreamOptions): Upstream {
  const key = JSON.stringify([target.name, target.reach])
  const called = new Set<Era>()
  const opened = new Set<Side>()
  let logLevel: LoggingLevel | undefined
  let second: Promise<Side | undefined> | undefined
  let main = open(target)

  function open(from: UpstreamTarget): Side {
    const upstream = openSide(from, {
      ...listener,
      status: (status) => upstream === main.upstream && listener.status(status),
    })
    if (logLevel) upstream.setLogLevel(logLevel)
    const side = { upstream, uris: new Set<string>(), running: 0, isRetired: false }
    opened.add(side)
    return side
  }

  async function close(side: Side): Promise<void> {
    if (opened.delete(side)) await side.upstream[Symbol.asyncDispose]()
  }

  /** Synchronous if the side is known, which is nearly always. */
  function sideFor(era: Era | undefined, signal: AbortSignal = never): Side | Promise<Side> {
    if (era === undefined || (called.has(era) && main.upstream.identity?.era === era)) return main
    return findSide(era, signal)
  }

  async function findSide(era: Era, signal: AbortSignal): Promise<Side> {
    const isFirst = called.size === 0
    called.add(era)
    const identity = main.upstream.identity ?? (await main.upstream.ready(signal))
    if (identity.era === era || (!second && (oneEra.has(key) || wasRefused(era)))) return main
    second ??= openSecond(era, isFirst)
    const side = await abortable(second, signal)
    // A translated answer is better than none.
    return side && side.upstream.status.is !== 'failed' ? side : main
  }

  /** True if the first handshake refused the era that the transport tries first. */
  function wasRefused(era: Era): boolean {
    return main.upstream.target.preferredEra === undefined && era === usualEra(target)
  }

  async function openSecond(era: Era, isFirst: boolean): Promise<Side | undefined> {
    const handshakeMs = Math.min(target.handshakeMs, maxProbeMs)
    const side = open({ ...target, preferredEra: era, handshakeMs })
    const identity = await side.upstream.ready().catch((error: unknown) => {
      log.debug({ upstream: target.name, era, error }, 'an upstream could not be opened in the other era')
    })
    const isDual = identity?.era === era && (era === 'modern' || side.upstream.canAsk)
    if (!isDual || !opened.has(side)) {
      if (opened.has(side)) oneEra.add(key)
      await close(side)
      return undefined
    }
    if (isFirst) takeOver(side)
    return side
  }

  /** The first client is of this era. Lists and change notices should come from the side that it calls. */
  function takeOver(side: Side): void {
    const old = main
    main = side
    second = called.size > 1 ? Promise.resolve(old) : undefined
    for (const uri of second ? [] : old.uris) {
      subscribe(side, uri).catch((error: unknown) =>
        log.debug({ uri, error }, 'a subscription could not be moved to the other era'),
      )
    }
    listener.status(side.upstream.status)
    if (!second) retire(old)
  }

  function retire(side: Side): void {
    side.isRetired = true
    if (side.running === 0) void close(side)
  }

  async function using<Result>(side: Side, work: (upstream: Upstream) => Promise<Result>): Promise<Result> {
    side.running++
    try {
      return await work(side.upstream)
    } finally {
      side.running--
      if (side.isRetired) retire(side)
    }
  }

  async function subscribe(side: Side, uri: string): Promise<void> {
    await side.upstream.subscribe(uri)
    side.uris.add(uri)
  }

  return {
    target,
    get status() {
      return main.upstream.status
    },
    get identity() {
      return main.upstream.identity
    },
    get stderr() {
      return main.upstream.stderr
    },
    get output() {
      return main.upstream.output
    },
    get breach() {
      return main.upstream.breach
    },
    get dropped() {
      return main.upstream.dropped
    },
    ready: (signal) => main.upstream.ready(signal),
    async request(method, params, request) {
      const found = sideFor(request.client.era, request.signal)
      const side = found instanceof Promise ? await found : found
      return using(side, (upstream) => upstream.request(method, params, request))
    },
    async notify(method, params, era) {
      await using(await sideFor(era), (upstream) => upstream.notify(method, params))
    },
    async subscribe(uri, era) {
      await subscribe(await sideFor(era), uri)
    },
    async unsubscribe(uri) {
      for (const side of opened) if (side.uris.delete(uri)) await side.upstream.unsubscribe(uri)
    },
    setLogLevel(level) {
      logLevel = level
      for (const { upstream } of opened) upstream.setLogLevel(level)
    },
    async restart() {
      oneEra.delete(key)
      second = undefined
      await Promise.all([...[...opened].filter((side) => side !== main).map(close), main.upstream.restart()])
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened].map(close))
    },
  }
}

const never = new AbortController().signal
