/** Starts the programs to compare: the upstream itself, Signalbox in front of it, and gateways from npm. */
import { type Caller, httpCalls, prepareLegacyCall, prepareModernCall, echoText } from './caller.ts'
import { cpuMicrosOfTree } from './cpu-of-tree.ts'
import { startPeers } from './peers.ts'
import { type Listening, startBareRelay, startUpstream, upstreamProgram } from './start-program.ts'
import { type BenchHub, startSignalbox } from './start-signalbox.ts'

export interface Contender {
  readonly name: string
  /** A short description, since the contenders do not all do the same. */
  readonly does: string
  /** Part of every correct answer. */
  readonly expects: string
  /** Opens a caller with its own MCP connection. */
  open(id: number): Promise<Caller>
  /** The CPU time of the gateway without the upstream, or of the upstream itself for "direct". */
  cpuMicros(): number
}

export interface Contenders extends AsyncDisposable {
  readonly direct: Contender
  /** The minimal cost of a hop. */
  readonly bare: Contender
  readonly relayed: Contender
  /** A tool of the hub on the same compositor: decided and recorded, but not relayed. */
  readonly guarded: Contender
  /** A tool of the hub, called by a person: the cost of the endpoint alone. */
  readonly own: Contender
  /** All contenders, including these five. */
  readonly all: readonly Contender[]
}

const args = { text: echoText }
const statusCall = { name: 'hub_status', arguments: {} }

export async function startContenders(): Promise<Contenders> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream())
  const direct = httpContender(upstream, { name: 'direct', does: 'the upstream itself: bare `node:http`' })
  const bare = httpContender(stack.use(await startBareRelay(upstream.url)), {
    name: 'bare relay',
    does: '`node:http` and undici, which forward the bytes unread: the minimal cost of a hop in Node',
  })
  const { relayed, stdio, modern, guarded, own } = signalboxContenders(stack.use(await startSignalbox(upstream.url)))
  const all = [direct, bare, relayed, stdio, modern, guarded, own, ...(await startPeers(stack, upstream.url))]
  const opened = stack.move()
  return { direct, bare, relayed, guarded, own, all, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function httpContender({ url, pid }: Listening, description: Pick<Contender, 'name' | 'does'>): Contender {
  const target = { port: Number(new URL(url).port), path: '/mcp' }
  return {
    ...description,
    expects: echoText,
    open: httpCalls(target.port, (id) => prepareLegacyCall(target, id, { name: 'echo', arguments: args })),
    cpuMicros: () => cpuMicrosOfTree(pid),
  }
}

function signalboxContenders({ pid, agent, person, tool, stdioTool }: BenchHub) {
  const cpuMicros = () => cpuMicrosOfTree(pid, [upstreamProgram])
  const call = { name: tool, arguments: args }
  const relayed: Contender = {
    name: 'Signalbox',
    does: 'token, record, 100 rules, names; one HTTP upstream',
    expects: echoText,
    open: httpCalls(agent.port, (id) => prepareLegacyCall(agent, id, call)),
    cpuMicros,
  }
  const stdio: Contender = {
    ...relayed,
    name: 'Signalbox, stdio',
    does: 'the same, with one stdio upstream',
    open: httpCalls(agent.port, (id) => prepareLegacyCall(agent, id, { ...call, name: stdioTool })),
  }
  const modern: Contender = {
    ...relayed,
    name: 'Signalbox, 2026-07-28',
    does: 'one HTTP upstream, to a client of that revision',
    open: httpCalls(agent.port, async (id) => prepareModernCall(agent, id, call)),
  }
  const guarded: Contender = {
    name: 'Signalbox, tool of its own',
    does: '`hub_status` by the same agent: token, record and 100 rules, but no relay',
    expects: 'uptime_seconds',
    open: httpCalls(agent.port, (id) => prepareLegacyCall(agent, id, statusCall)),
    cpuMicros,
  }
  const own: Contender = {
    ...guarded,
    name: 'Signalbox, endpoint alone',
    does: '`hub_status` by a person: token, no policy, no record',
    open: httpCalls(person.port, (id) => prepareLegacyCall(person, id, statusCall)),
  }
  return { relayed, stdio, modern, guarded, own }
}
