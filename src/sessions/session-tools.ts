/** The tools of the toolset `sessions`, and the resources they are about. */
import type { Provider } from '../mcp/mcp.ts'
import { createAdoptTool } from './adopt-tool.ts'
import { createJobTools } from './job-tools.ts'
import { createReadingTools } from './reading-tools.ts'
import { createSessionResources } from './session-resources.ts'
import type { SteeringOptions } from './steering-tools.ts'
import { createSteeringTools } from './steering-tools.ts'

export function createSessionProvider({ sessions, wait, checkWait, setPolicy }: SteeringOptions): Provider {
  const tools = [
    ...createReadingTools({ sessions, wait, checkWait }),
    ...createSteeringTools({ sessions, wait, checkWait, setPolicy }),
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
