/**
 * The ways in which an agent connects: over HTTP, through its session's socket, and through `signalbox relay` to
 * either.
 */
import { until } from '../fixtures/until.ts'
import { openLines } from '../harness/line-client.ts'
import { modernMeta } from '../harness/modern-call.ts'
import { startRelay } from '../worlds/relay-process.ts'
import { newestLegacy } from '../http/legacy-connection.ts'
import { type AgentClient, connectAgent, type Era, outcomeOf } from './attempts.ts'
import type { GateWorld } from '../worlds/gate-world.ts'
import { aResource, aTool, followed, type Path, paths, typingAtTheSocket } from './paths.ts'

export interface WayIn {
  readonly name: string
  readonly paths: readonly Path[]
  /** The ways in which its client can leave. */
  readonly leavings: readonly ('cancel' | 'cut')[]
  connect(world: GateWorld): Promise<AgentClient>
}

/** The relay passes on every message unchanged, so two paths are enough. */
const throughTheRelay = [aTool, aResource]

export const waysIn: readonly WayIn[] = [
  {
    name: 'legacy over HTTP',
    paths: [...paths, followed],
    leavings: ['cancel', 'cut'],
    connect: ({ agent }) => connectAgent(agent, 'legacy'),
  },
  {
    name: 'modern over HTTP',
    paths,
    leavings: ['cut'],
    connect: ({ agent }) => connectAgent(agent, 'modern'),
  },
  ...eachEra((era) => ({
    name: `${era} through the relay`,
    paths: throughTheRelay,
    leavings: ['cancel', 'cut'],
    async connect({ agent: { url, token } }) {
      const relay = startRelay(['--url', url], { SIGNALBOX_TOKEN: token })
      return lineAgent(relay, era, () => relay.finish())
    },
  })),
  ...eachEra((era) => ({
    name: `${era} at the session's socket`,
    paths: [typingAtTheSocket],
    leavings: ['cancel', 'cut'],
    async connect({ socket }) {
      const lines = await openLines(socket)
      return lineAgent(lines, era, () => lines.socket.destroy())
    },
  })),
  ...eachEra((era) => ({
    name: `${era} through the relay to the socket`,
    paths: [typingAtTheSocket],
    leavings: ['cancel', 'cut'],
    async connect({ socket }) {
      const relay = startRelay(['--socket', socket])
      return lineAgent(relay, era, () => relay.finish())
    },
  })),
]

function eachEra(wayOf: (era: Era) => WayIn): readonly WayIn[] {
  return [wayOf('legacy'), wayOf('modern')]
}

interface Lines extends AsyncDisposable {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  send(message: object): void
}

async function lineAgent(lines: Lines, era: Era, cut: () => void): Promise<AgentClient> {
  let requests = 0
  const answerTo = (id: number) => lines.messages.find((message) => message['id'] === id && !('method' in message))

  function request(method: string, params: object): number {
    const id = ++requests
    const sent = era === 'modern' ? { ...params, _meta: modernMeta } : params
    lines.send({ jsonrpc: '2.0', id, method, params: sent })
    return id
  }

  if (era === 'legacy') {
    const clientInfo = { name: 'raw', version: '1' }
    const hello = request('initialize', { protocolVersion: newestLegacy, capabilities: {}, clientInfo })
    await until(() => answerTo(hello))
    lines.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return {
    attempt({ method, params }) {
      const id = request(method, params)
      let hasLeft = false
      const outcome = until(() => {
        const answer = answerTo(id)
        return answer ? outcomeOf(answer) : hasLeft && ('left' as const)
      })
      return {
        outcome,
        async cancel() {
          hasLeft = true
          lines.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        },
        cut() {
          hasLeft = true
          cut()
        },
      }
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  }
}
