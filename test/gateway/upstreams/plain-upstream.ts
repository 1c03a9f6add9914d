/**
 * The smallest MCP server: one tool, `echo`, answered with JSON. So the cost of a call is the cost of the layers in
 * front of it.
 *
 * node plain-upstream.ts [--stdio]
 *
 * Over HTTP it prints `listening on <url>` when it is ready.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Request {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } }
}

const tool = {
  name: 'echo',
  description: 'Says what it was told.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}

if (process.argv.includes('--stdio')) serveLines()
else serveHttp()

function serveHttp(): void {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = answer(Buffer.concat(chunks).toString())
      if (body === undefined) return void response.writeHead(202).end()
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      response.writeHead(200, headers).end(body)
    })
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  })
}

function serveLines(): void {
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const answers = lines.map(answer).filter((line) => line !== undefined)
    if (answers.length > 0) process.stdout.write(`${answers.join('\n')}\n`)
  })
}

function answer(text: string): string | undefined {
  const { id, method = '', params } = JSON.parse(text) as Request
  if (id === undefined) return undefined
  const result = resultOf(method, params)
  const error = { code: -32601, message: `Method not found: ${method}` }
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) })
}

function resultOf(method: string, params: Request['params']): object | undefined {
  switch (method) {
    case 'tools/call':
      return { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] }
    case 'tools/list':
      return { tools: [tool] }
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'plain-upstream', version: '1.0.0' },
      }
    case 'ping':
      return {}
    default:
      return undefined
  }
}
