/** The protocol types from the MCP SDK. Types only, so that the contract does not load the SDK. */
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
