/**
 * The contract: what a feature needs to offer something over MCP, and what the endpoint and the upstreams share. It
 * depends on neither of them, and loads nothing of the SDK.
 */
export { assertCapable, canBeAsked } from './can-be-asked.ts'
export { clientCapabilities } from './client-capabilities.ts'
export { defineTool, structured, toolError, ToolFailure } from './define-tool.ts'
export type * from './face-contents.ts'
export { failureOf } from './failure-of.ts'
export type { Answer } from './failure-of.ts'
export { defaultLogLevel, isLoggingLevel, isWanted, moreVerbose, severity } from './log-level.ts'
export * from './notices.ts'
export type * from './operation.ts'
export * from './provider.ts'
export { resourceNotFound, uriText } from './resource-uri.ts'
export type * from './sdk.ts'
export { traceContextOf } from './trace-context.ts'
export * from './wire.ts'
