/** The only file that loads the server side of the MCP SDK. */
export { classifyInboundRequest, createRequestStateCodec, UriTemplate } from '@modelcontextprotocol/server'
export type { RequestStateCodec } from '@modelcontextprotocol/server'
