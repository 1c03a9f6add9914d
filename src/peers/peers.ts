/** Every session with an agent is an MCP server for the others: the mount `sessions` of their compositors. */
import type { AskSession } from '../api/ask-session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Feature } from '../feature/feature.ts'
import type { Turns } from '../gate/gate.ts'
import type { Provider } from '../mcp/mcp.ts'
import { createAskSession } from './ask-session.ts'
import type { Actions } from './ask-tools.ts'
import { createAskTools } from './ask-tools.ts'
import { createListTool } from './list-tool.ts'
import type { PeerSessions } from './peer.ts'
import type { PromptTemplates } from './peer-prompts.ts'
import { promptsOf } from './peer-prompts.ts'
import type { PeerResourcesOptions } from './peer-resources.ts'
import { createPeerResources } from './peer-resources.ts'
import { createReachablePeers } from './reachable-peers.ts'

export interface Peers extends Feature {
  /** Asks the agent of a session and waits for its answer. */
  readonly ask: AskSession
  /** The mount. `actions` answers requests that name no session. */
  createMount(actions: Actions): Feature
  /** The hub stops: waiting callers get an error. The agents continue their turns. */
  endWaits(): void
}

export interface PeersOptions extends Pick<PeerResourcesOptions, 'places'> {
  readonly sessions: PeerSessions
  readonly turns: Turns
  readonly threads: PeerResourcesOptions['threads'] & { currentOf(session: string): string | undefined }
  readonly templates: PromptTemplates
  readonly hopLimit: number
  readonly log: Log
}

const lookForIdleMs = 5_000
/** An agent that has reported for this long that it is idle will not start on its prompt any more. */
const idleMs = 15_000

export function createPeers({ sessions, turns, threads, templates, places, hopLimit, log }: PeersOptions): Peers {
  const stopping = new AbortController()
  const ask = createAskSession({ sessions, turns, threads, hopLimit, stopping: stopping.signal, log })

  function providerOf(self: string, actions: Actions): Provider {
    const peers = createReachablePeers(sessions, self)
    const asking = createAskTools({ peers, ask, actions, self })
    const list = createListTool(sessions, peers, self)
    const resourceTemplates = createPeerResources({ peers, threads, places })
    return {
      toolset: 'sessions',
      tools: () => [list, ...asking.tools],
      findTool: (name) => (name === list.name ? list : asking.find(name)),
      resourceTemplates: () => resourceTemplates,
      prompts: () => promptsOf(templates),
    }
  }

  /** Ends turns whose end the thread does not show: the prompt was lost, or the agent shows it in other words. */
  async function endIdleTurns(): Promise<void> {
    const since = new Date(Date.now() - idleMs).toISOString()
    for (const session of turns.running()) {
      try {
        const { activity, status } = await sessions.runOf(await sessions.find(session))
        const isIdle = activity.is === 'idle' && activity.source === 'agent' && activity.since < since
        if (isIdle && status.is === 'running') await turns.endIdle(session, since)
      } catch (error) {
        log.warn({ session, error }, 'could not see whether a session still works; its turn stays open')
      }
    }
  }

  return {
    ask,
    endWaits: () => stopping.abort(new HubError('unavailable', 'The hub is stopping.')),
    createMount: (actions) => ({ providersOf: (session) => [providerOf(session, actions)] }),
    sweeps: [{ everyMs: lookForIdleMs, run: endIdleTurns }],
  }
}
