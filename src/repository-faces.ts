/** The faces of the repository port: the same two tools for people and for agents. The gate decides each call of an agent. */
import { dropOldest } from './base/drop-oldest.ts'
import type { Principal } from './base/principal.ts'
import type { Face } from './endpoint/endpoint.ts'
import { createFace, createSettleLayer } from './endpoint/endpoint.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { Implementation, Layer, Notices } from './mcp/mcp.ts'
import type { RepositoryQueries } from './repositories/repositories.ts'

export interface RepositoryFacesOptions {
  readonly info: Implementation
  readonly notices: Notices
  readonly queries: RepositoryQueries
  readonly gateway: Pick<Gateway, 'layer' | 'visible'>
  /** Records the calls of people. */
  readonly recordLayer: Layer
}

const instructions =
  'Signalbox answers questions about repositories, with citations. ListRepositories has their names; QueryRepository asks one of them.'

/** A face holds nothing open, so one that is dropped is made again. */
const mostFaces = 100

export function createRepositoryFaces(options: RepositoryFacesOptions): (caller: Principal) => Face {
  const { info, notices, queries, gateway, recordLayer } = options
  const settle = createSettleLayer(notices)
  const ofAgents = new Map<string, Face>()
  const ofPeople = createFace({
    id: 'repositories',
    info,
    instructions,
    layers: [settle, recordLayer, queries.layer],
    async visible(tools) {
      await queries.assertAvailable()
      return tools
    },
    providers: [queries.providerFor(undefined)],
  })

  function createAgentFace(session: string): Face {
    return createFace({
      id: `repositories:${session}`,
      info,
      instructions,
      // Before the gate, so that no person is asked about a call that cannot run.
      layers: [settle, queries.layer, gateway.layer],
      async visible(tools) {
        await queries.assertAvailable()
        return gateway.visible(session, tools)
      },
      providers: [queries.providerFor(session)],
    })
  }

  return ({ role, session = '' }) => {
    if (role === 'human') return ofPeople
    const face = ofAgents.get(session) ?? createAgentFace(session)
    ofAgents.set(session, face)
    dropOldest(ofAgents, mostFaces)
    return face
  }
}
