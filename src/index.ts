/** The exports for a program that embeds the hub. */
export type { Config, LoadedConfig } from './config/config.ts'
export { loadConfig } from './config/config.ts'
export type { HubParts, RunningHub } from './hub.ts'
export { startHub } from './hub.ts'
export type { Call, Provider, Tool } from './mcp/mcp.ts'
export { defineTool } from './mcp/mcp.ts'
