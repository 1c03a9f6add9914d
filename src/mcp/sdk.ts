/** The one place that imports the MCP SDK's server side: what we use of it, and nothing else of it anywhere. */
export { classifyInboundRequest, createRequestStateCodec, UriTemplate } from '@modelcontextprotocol/server'
export type {
  CallToolResult,
  ClientCapabilities,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  PromptArgument,
  ReadResourceResult,
  ServerCapabilities,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
