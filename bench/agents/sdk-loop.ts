/**
 * The AI SDK's own loop, as a program would use it without a hub: it stays open, and runs one turn for each line of its
 * input, a prompt as JSON. The tools are those of an MCP server on stdio, whose command it gets as arguments.
 */
import { createOpenAI } from '@ai-sdk/openai'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { dynamicTool, isStepCount, jsonSchema, streamText } from 'ai'
import { createInterface } from 'node:readline'

const [command = '', ...args] = process.argv.slice(2)
const client = new Client({ name: 'sdk-loop', version: '1' })
await client.connect(new StdioClientTransport({ command, args }))
const { tools: listed } = await client.listTools()
const tools = Object.fromEntries(
  listed.map(({ name, description = '', inputSchema }) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
      execute: (input) => client.callTool({ name, arguments: input as Record<string, unknown> }),
    }),
  ]),
)
const model = createOpenAI({ apiKey: 'dummy', baseURL: process.env['OPENAI_BASE_URL'] ?? '' }).responses('scripted')

console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const prompt = JSON.parse(line) as string
  const providerOptions = { openai: { store: false } }
  const result = streamText({ model, prompt, tools, stopWhen: isStepCount(100), providerOptions })
  let answer = ''
  for await (const text of result.textStream) answer += text
  console.log(JSON.stringify(answer))
}
