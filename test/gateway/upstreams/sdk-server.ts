/** The fixtures of the conformance suite, written with the SDK's high-level server only. */
import { createRequestStateCodec, fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { pixelPng, silentWav } from '../../conformance/samples.ts'
import { schemaTools } from '../../conformance/schema-tools.ts'
import { says, type StateCodec, text, user } from './sdk-answers.ts'
import { addAskingTools, addPromptThatAsks } from './sdk-asking-tools.ts'

/** How this server announces list changes, which depends on its transport. */
export interface ListsChanged {
  tools(): void
  prompts(): void
}

/** One per process, because each modern request gets its own server. */
const states: StateCodec = createRequestStateCodec({ key: new Uint8Array(32).fill(7) })

export function createSdkServer(listsChanged: ListsChanged): McpServer {
  const server = new McpServer(
    { name: 'sdk-upstream', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: states.verify },
    },
  )
  addContentTools(server)
  addToolsWithSchemas(server)
  addTalkingTools(server)
  addAskingTools(server, states)
  addChangingTools(server, listsChanged)
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('logging/setLevel', () => ({}))
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }))
  return server
}

const nothing = z.object({})
const picture = { type: 'image', data: pixelPng, mimeType: 'image/png' } as const

function addContentTools(server: McpServer): void {
  const answers = {
    test_simple_text: text('This is a simple text response for testing.'),
    test_image_content: { content: [picture] },
    test_audio_content: { content: [{ type: 'audio', data: silentWav, mimeType: 'audio/wav' }] },
    test_embedded_resource: {
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    },
    test_multiple_content_types: {
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        picture,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
    test_error_handling: { ...text('This tool intentionally returns an error for testing'), isError: true },
  } as const
  for (const [name, answer] of Object.entries(answers)) {
    server.registerTool(name, { description: 'Always answers the same.', inputSchema: nothing }, () => ({
      ...answer,
      content: [...answer.content],
    }))
  }
}

function addToolsWithSchemas(server: McpServer): void {
  for (const { name, description, inputSchema } of schemaTools) {
    server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, (args) =>
      text(JSON.stringify(args)),
    )
  }
}

function embedded(uri: string, mimeType: string, words: string) {
  return { type: 'resource', resource: { uri, mimeType, text: words } } as const
}

function addTalkingTools(server: McpServer): void {
  const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed']
  const logging = { description: 'Logs three lines.', inputSchema: nothing }
  server.registerTool('test_tool_with_logging', logging, async (_, { mcpReq }) => {
    for (const data of lines) await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    return text('Three lines were logged.')
  })
  const oneLine = { description: 'Logs one line, if asked to.', inputSchema: nothing }
  server.registerTool('test_logging_tool', oneLine, async (_, { mcpReq }) => {
    await mcpReq.log('info', 'A line of the log')
    return text('One line was logged.')
  })
  const working = { description: 'Reports its progress.', inputSchema: nothing }
  server.registerTool('test_tool_with_progress', working, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken as string, progress, total: 100 }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return text('The work is done.')
  })
}

function addChangingTools(server: McpServer, changed: ListsChanged): void {
  for (const list of ['tools', 'prompts'] as const) {
    const name = `test_trigger_${list.slice(0, -1)}_change`
    server.registerTool(name, { description: `Says that its ${list} have changed.`, inputSchema: nothing }, () => {
      changed[list]()
      return text('Done.')
    })
  }
}

function addResources(server: McpServer): void {
  const texts = {
    'static-text': 'This is the content of the static text resource.',
    'watched-resource': 'Somebody may watch this.',
  }
  for (const [name, words] of Object.entries(texts)) {
    server.registerResource(name, `test://${name}`, { description: 'A text.', mimeType: 'text/plain' }, ({ href }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: words }],
    }))
  }
  const pixel = { description: 'One pixel.', mimeType: 'image/png' }
  server.registerResource('static-binary', 'test://static-binary', pixel, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: pixelPng }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const data = { description: 'Data for any id.', mimeType: 'application/json' }
  server.registerResource('template-data', template, data, ({ href }, { id }) => {
    const found = { id, templateTest: true, data: `Data for ID: ${String(id)}` }
    return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(found) }] }
  })
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'One sentence.' }, () =>
    says('This is a simple prompt for testing.'),
  )
  const blanks = { description: 'Two blanks.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) }
  server.registerPrompt('test_prompt_with_arguments', blanks, ({ arg1, arg2 }) =>
    says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  )
  const about = { description: 'About a resource.', argsSchema: z.object({ resourceUri: z.string() }) }
  server.registerPrompt('test_prompt_with_embedded_resource', about, ({ resourceUri }) => {
    const resource = embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')
    return { messages: [user(resource), ...says('Please process the embedded resource above.').messages] }
  })
  server.registerPrompt('test_prompt_with_image', { description: 'About a picture.' }, () => ({
    messages: [user(picture), ...says('Please analyze the image above.').messages],
  }))
  addPromptThatAsks(server)
}
