/** The tools and resources of the toolset `sessions`, for people and for agents. */
import type { Feature } from '../feature/feature.ts'
import type { Provider } from '../mcp/mcp.ts'
import { createAdoptTools } from './adopt-tool.ts'
import type { AgentToolsOptions } from './agent-tools.ts'
import { createAgentToolProvider } from './agent-tools.ts'
import { createJobTools } from './job-tools.ts'
import { createReadingTools } from './reading-tools.ts'
import { createResumeTool } from './resume-tool.ts'
import { createSessionResources } from './session-resources.ts'
import type { Sessions } from './session.ts'
import type { SteeringOptions } from './steering-tools.ts'
import { createSteeringTools } from './steering-tools.ts'
import type { Waiting } from './wait.ts'

export interface SessionToolsOptions {
  readonly sessions: Sessions
  readonly terminalTools: Waiting
  readonly policies: SteeringOptions['policies']
  readonly turns: AgentToolsOptions['turns']
}

export function createSessionTools({ sessions, terminalTools, policies, turns }: SessionToolsOptions): Feature {
  const { wait, checkWait } = terminalTools
  return {
    providers: [
      createSessionProvider({ sessions, wait, checkWait, policies }),
      createAgentToolProvider({ sessions, turns }),
    ],
  }
}

function createSessionProvider({ sessions, wait, checkWait, policies }: SteeringOptions): Provider {
  const tools = [
    ...createReadingTools({ sessions, wait, checkWait }),
    ...createSteeringTools({ sessions, wait, checkWait, policies }),
    createResumeTool(sessions),
    ...createAdoptTools(sessions),
    ...createJobTools(sessions),
  ]
  const { resources, resourceTemplates } = createSessionResources(sessions)
  return {
    toolset: 'sessions',
    tools: () => tools,
    resources: () => resources,
    resourceTemplates: () => resourceTemplates,
  }
}
