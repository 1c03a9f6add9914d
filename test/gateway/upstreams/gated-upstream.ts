/**
 * A server with one tool, `wait_for_me`, and a slow start: it writes `<file>.started`, and reads no input until
 * `<file>` exists.
 *
 * node gated-upstream.ts <file>
 */
import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [gate = ''] = process.argv.slice(2)
const tools = [{ name: 'wait_for_me', description: 'Is there, in the end.', inputSchema: { type: 'object' } }]

writeFileSync(`${gate}.started`, '')
while (!existsSync(gate)) await sleep(20)
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: Record<string, unknown> }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) }))
}

function answer(method: string, params: Record<string, unknown> = {}): object {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'gated', version: '1.0.0' }
      return {
        result: { protocolVersion: params['protocolVersion'], capabilities: { tools: {}, resources: {} }, serverInfo },
      }
    }
    case 'tools/list':
      return { result: { tools } }
    case 'resources/list':
      return { result: { resources: [{ uri: 'gated://one', name: 'one' }] } }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: 'Here I am.' }] } }
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } }
  }
}
