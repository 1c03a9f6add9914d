/** Starts what is compared: the upstream itself, Signalbox in front of it, and the gateways of npm. */
import { type CallLine, httpCalls, prepareLegacyCall, prepareModernCall, saying } from './call-line.ts'
import { cpuMicrosOfTree } from './cpu-of-tree.ts'
import { startPeers } from './peers.ts'
import { type Listening, startBareRelay, startUpstream } from './start-program.ts'
import { type BenchHub, startSignalbox } from './start-signalbox.ts'

export interface Contender {
  readonly name: string
  /** In a few words, since they do not all do the same. */
  readonly does: string
  /** Part of every right answer. */
  readonly expects: string
  /** A caller with an MCP connection of its own. */
  open(id: number): Promise<CallLine>
  /** Of the gateway, without the upstream; of the upstream where nothing stands in front of it. */
  cpuMicros(): number
}

export interface Contenders extends AsyncDisposable {
  readonly direct: Contender
  /** The least that a hop can cost. */
  readonly bare: Contender
  readonly relayed: Contender
  /** A tool of the hub's own on the same compositor: decided and recorded, but not relayed. */
  readonly guarded: Contender
  /** A tool of the hub's own, called by a person: what the endpoint alone costs. */
  readonly own: Contender
  /** These five among them. */
  readonly all: readonly Contender[]
}

const args = { text: saying }
const statusCall = { name: 'hub_status', arguments: {} }

export async function startContenders(): Promise<Contenders> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream())
  const direct = httpContender(upstream, { name: 'direct', does: 'the upstream itself: bare `node:http`' })
  const bare = httpContender(stack.use(await startBareRelay(upstream.url)), {
    name: 'bare relay',
    does: '`node:http` and undici, which pass the bytes on and look at nothing: the least that a hop can cost in Node',
  })
  const { relayed, modern, guarded, own } = signalboxContenders(stack.use(await startSignalbox(upstream.url)))
  const all = [direct, bare, relayed, modern, guarded, own, ...(await startPeers(stack, upstream.url))]
  const opened = stack.move()
  return { direct, bare, relayed, guarded, own, all, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function httpContender({ url, pid }: Listening, words: Pick<Contender, 'name' | 'does'>): Contender {
  const target = { port: Number(new URL(url).port), path: '/mcp' }
  return {
    ...words,
    expects: saying,
    open: httpCalls(target.port, (id) => prepareLegacyCall(target, id, { name: 'echo', arguments: args })),
    cpuMicros: () => cpuMicrosOfTree(pid),
  }
}

function signalboxContenders({ pid, agent, person, tool }: BenchHub) {
  const cpuMicros = () => cpuMicrosOfTree(pid)
  const call = { name: tool, arguments: args }
  const relayed: Contender = {
    name: 'Signalbox',
    does: 'token, record, 100 rules, names; one HTTP upstream',
    expects: saying,
    open: httpCalls(agent.port, (id) => prepareLegacyCall(agent, id, call)),
    cpuMicros,
  }
  const modern: Contender = {
    ...relayed,
    name: 'Signalbox, 2026-07-28',
    does: 'the same, to a client of that revision',
    open: httpCalls(agent.port, async (id) => prepareModernCall(agent, id, call)),
  }
  const guarded: Contender = {
    name: 'Signalbox, tool of its own',
    does: '`hub_status` by the same agent: token, record and 100 rules, nothing is relayed',
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
  return { relayed, modern, guarded, own }
}
