/** The tools of the toolset `sessions`, and the resources they are about. */
import type { Provider } from '../mcp/mcp.ts'
import { createAdoptTool } from './adopt-tool.ts'
import { createJobTools } from './job-tools.ts'
import { createReadingTools } from './reading-tools.ts'
import { createSessionResources } from './session-resources.ts'
import type { Sessions } from './sessions.ts'
import type { Wait } from './wait.ts'
import type { SteeringOptions } from './steering-tools.ts'
import { createSteeringTools } from './steering-tools.ts'

export interface SessionProviderOptions extends SteeringOptions {
  readonly sessions: Sessions
  /** Blocks until a session's terminal shows something, or the session does. */
  readonly wait: Wait
}

export function createSessionProvider({ sessions, wait, setPolicy }: SessionProviderOptions): Provider {
  const tools = [
    ...createReadingTools({ sessions, wait }),
    ...createSteeringTools({ sessions, wait, setPolicy }),
    createAdoptTool(sessions),
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
