/**
 * A legacy upstream over stdio that logs every action to the file its argument names. An action that is not in the file
 * did not reach it. It does not start while the file `<name>.broken` exists, and does not answer while `<name>.stalled`
 * exists.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file = ''] = process.argv.slice(2)
if (existsSync(`${file}.broken`)) process.exit(3)

const lists: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    serverInfo: { name: 'counting', version: '1' },
  },
  'tools/list': { tools: [{ name: 'Act-Now', description: 'Acts.', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [{ uri: 'count://thing', name: 'thing' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [{ name: 'Hello' }] },
  ping: {},
}

const deeds: Readonly<Record<string, object>> = {
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  'resources/read': { contents: [{ uri: 'count://thing', text: 'the thing' }] },
  'resources/subscribe': {},
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
  'custom/deed': { done: true },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { name?: string } }
  if (id === undefined) continue
  const deed = deeds[method]
  if (deed) appendFileSync(file, `${method} ${params?.name ?? ''}\n`)
  if (deed && existsSync(`${file}.stalled`)) continue
  const result = deed ?? lists[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
