/** The faces of agents: the compositor of each session, and the face of its unix socket. The gate guards both. */
import { searchedToolsets } from './api/toolsets.ts'
import type { Face } from './endpoint/endpoint.ts'
import { createFace, createSettleLayer } from './endpoint/endpoint.ts'
import type { Feature, SignalSender } from './feature/feature.ts'
import type { Gateway } from './gateway/gateway.ts'
import { mountUri } from './gateway/gateway.ts'
import type { Implementation, Notices, Provider } from './mcp/mcp.ts'

export interface AgentFaces extends Feature {
  /** The compositor. Creating it starts the connectors of the session. */
  of(session: string): Face
  socketOf(session: string): Face
  /** The names of all tools of the compositor, also of those that the agent is not shown. */
  toolsOf(session: string): Promise<readonly string[]>
}

export interface AgentFacesOptions {
  readonly info: Implementation
  readonly notices: Notices
  readonly signals: SignalSender
  /** Wraps every call of an agent, and decides which tools the agent sees. */
  readonly gateway: Pick<Gateway, 'layer' | 'visible'>
  readonly features: readonly Feature[]
  /** The tools of a session's own terminal, without a prefix. */
  readonly terminalOf: (session: string) => Provider
  /** Whether the hub itself uses this address. An upstream must not take it over. */
  readonly isReserved: (uri: string) => boolean
}

const compositorInstructions = 'Signalbox: the tools you may use in this session.'
const socketInstructions = 'Signalbox: the terminal tools of one session that are switched on.'

export function compositorId(session: string): string {
  return `compositor:${session}`
}

export function createAgentFaces(options: AgentFacesOptions): AgentFaces {
  const { info, notices, signals, gateway, features, isReserved } = options
  const common = { info, layers: [createSettleLayer(notices), gateway.layer] }
  const compositors = new Map<string, Face>()

  function createCompositor(session: string): Face {
    return createFace({
      ...common,
      id: compositorId(session),
      instructions: compositorInstructions,
      isReserved,
      async visible(tools) {
        const shown = await gateway.visible(session, tools)
        signals.emit('agent-connected', { session })
        return shown
      },
      providers: (face) => features.flatMap((feature) => feature.providersOf?.(session, face) ?? []),
    })
  }

  function of(session: string): Face {
    const compositor = compositors.get(session) ?? createCompositor(session)
    compositors.set(session, compositor)
    return compositor
  }

  return {
    of,
    async toolsOf(session) {
      const face = of(session)
      await face.waitForStart()
      return face.tools(searchedToolsets).map(({ name }) => name)
    },
    socketOf: (session) =>
      createFace({
        ...common,
        id: socketFaceId(session),
        instructions: socketInstructions,
        visible: (tools) => gateway.visible(session, tools),
        providers: [options.terminalOf(session)],
      }),
    on: {
      'mounts-wanted': ({ session }) => void of(session),
      'session-tools-changed'({ session }) {
        notices.listChanged('tools', compositorId(session))
        notices.listChanged('tools', socketFaceId(session))
        notices.resourceChanged(mountUri('terminal'), compositorId(session))
      },
      'session-ended': ({ session }) => void compositors.delete(session),
    },
  }
}

function socketFaceId(session: string): string {
  return `socket:${session}`
}
