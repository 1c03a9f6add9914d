/** What people have of connectors over MCP: tools and resources. */
import type { Provider } from '../mcp/mcp.ts'
import { createBindingTools } from './binding-tools.ts'
import { createConnectorResources } from './connector-resources.ts'
import { createConnectorTools } from './connector-tools.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { Connectors } from './connectors.ts'
import { createImportTools } from './import-tools.ts'

export function createConnectorProvider(deps: {
  readonly connectors: Omit<Connectors, 'provider'>
  readonly views: ConnectorViews
  /** Of the person on this machine: where other programs keep their files. */
  readonly home: string
}): Provider {
  const { connectors, views, home } = deps
  const tools = [
    ...createConnectorTools({ connectors, views }),
    ...createImportTools({ imports: connectors.imports, home }),
    ...createBindingTools({ connectors }),
  ]
  return { toolset: 'connectors', tools: () => tools, ...createConnectorResources({ connectors, views }) }
}
