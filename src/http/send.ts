import type { ServerResponse } from 'node:http'

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  response.end(writeJsonHead(response, status, body, headers))
}

/** Writes the head of an answer whose request is still arriving. Returns the body, which the caller writes. */
export function writeJsonHead(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): string {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  })
  return text
}

export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  })
  response.end(text)
}
