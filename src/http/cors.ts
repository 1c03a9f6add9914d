/** CORS for pages on other allowed origins, such as the MCP Inspector. The caller has checked the origin. */
import type { ServerResponse } from 'node:http'

export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Vary', 'Origin')
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After')
}

export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': '*, Authorization',
    'Access-Control-Max-Age': '600',
  })
  response.end()
}
