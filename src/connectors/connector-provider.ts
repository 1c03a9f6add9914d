/** The tools and resources of connectors for people. */
import type { Feature } from '../feature/feature.ts'
import type { Provider } from '../mcp/mcp.ts'
import { createBindingTools } from './binding-tools.ts'
import { createConnectorResources } from './connector-resources.ts'
import { createConnectorTools } from './connector-tools.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { ConnectorDesk } from './connector.ts'
import { createDetailTools } from './detail-tools.ts'
import { createImportTools } from './import-tools.ts'

export function createConnectorProvider(deps: {
  readonly connectors: Omit<ConnectorDesk, keyof Feature>
  readonly views: ConnectorViews
  /** The person's home directory on this machine, where other programs keep their files. */
  readonly home: string
}): Provider {
  const { connectors, views, home } = deps
  const tools = [
    ...createConnectorTools({ connectors, views }),
    ...createDetailTools({ connectors, views }),
    ...createImportTools({ imports: connectors.imports, home }),
    ...createBindingTools({ connectors }),
  ]
  return { toolset: 'connectors', tools: () => tools, ...createConnectorResources({ connectors, views }) }
}
