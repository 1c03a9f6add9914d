/**
 * A small client. It lists the tools, calls one, and watches a resource until Ctrl-C or until the hub stops.
 * It needs Node 24, which `npm start` has put into node_modules:
 *
 *   node_modules/.bin/node examples/client.ts [uri]
 *
 * It finds the hub by SIGNALBOX_URL and SIGNALBOX_TOKEN, or in the data directory of a hub on this machine. HTTP does not
 * prove which program answers. On a machine that you share, connect through `signalbox relay` instead.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const [uri = 'resource://hub/status'] = process.argv.slice(2)
const { SIGNALBOX_HOME = join(homedir(), '.signalbox'), SIGNALBOX_URL, SIGNALBOX_TOKEN } = process.env
const url = new URL(SIGNALBOX_URL ?? addressIn('hub.json'))
const token = SIGNALBOX_TOKEN ?? fromHome('token').trim()

// By default the list of tools is short on purpose.
url.searchParams.set('toolsets', 'all')
const client = new Client({ name: 'example-client', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
const transport = new StreamableHTTPClientTransport(url, {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
})
await client.connect(transport)
console.log(`connected, revision ${client.getNegotiatedProtocolVersion()}`)

const { tools } = await client.listTools()
console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`)

const { structuredContent } = await client.callTool({ name: 'hub_status' })
console.log('hub_status:', structuredContent)

// A notice has no content, so the client reads the resource again.
client.setNotificationHandler('notifications/resources/updated', ({ params }) => print(params.uri))
const subscription = await client.listen({ resourceSubscriptions: [uri] })
await print(uri)
console.log(`watching ${uri}`)

console.log(`the hub ended the stream: ${await subscription.closed}`)
await client.close()

async function print(changed: string): Promise<void> {
  const { contents } = await client.readResource({ uri: changed })
  for (const content of contents) console.log(`${changed}: ${'text' in content ? content.text : '(bytes)'}`)
}

function addressIn(file: string): string {
  const { url } = JSON.parse(fromHome(file)) as { url: string }
  return url
}

function fromHome(file: string): string {
  return readFileSync(join(SIGNALBOX_HOME, file), 'utf8')
}
