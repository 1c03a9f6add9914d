/**
 * Tools that ask their client. The tools of the legacy scenarios ask in the middle of the call, which the SDK refuses
 * for modern clients. The others return `inputRequired(…)`, which the SDK translates for legacy clients.
 */
import type {
  CallToolResult,
  ClientCapabilities,
  ElicitRequestFormParams,
  InputRequests,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import { acceptedContent, CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { says, type StateCodec, text } from './sdk-answers.ts'

export function addAskingTools(server: McpServer, states: StateCodec): void {
  addLegacyTools(server)
  addModernTools(server)
  addToolsWithState(server, states)
}

function addLegacyTools(server: McpServer): void {
  const sampling = { description: "Asks the client's model.", inputSchema: z.object({ prompt: z.string() }) }
  server.registerTool('test_sampling', sampling, async ({ prompt }, { mcpReq }) => {
    const { content } = await mcpReq.requestSampling(samplingOf(prompt, 100))
    const [block] = [content].flat()
    return text(`LLM response: ${block?.type === 'text' ? block.text : 'none'}`)
  })

  const asking = { description: 'Asks the person.', inputSchema: z.object({ message: z.string() }) }
  server.registerTool('test_elicitation', asking, async ({ message }, { mcpReq }) => {
    const properties = { username: { type: 'string' }, email: { type: 'string' } } as const
    const { action, content } = await mcpReq.elicitInput(form(message, properties, ['username', 'email']))
    return text(`User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`)
  })

  addForm('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  })
  const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title }))
  const plain = ['option1', 'option2', 'option3']
  addForm('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: plain, enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  })

  function addForm(name: string, properties: Properties): void {
    server.registerTool(name, { description: 'Asks with a form.', inputSchema: nothing }, async (_, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput(form('Please fill in the form', properties))
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
    })
  }
}

function addModernTools(server: McpServer): void {
  add(server, 'test_input_required_result_elicitation', (ctx) => {
    const name = answerTo(ctx, 'user_name', 'name')
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName() } }) : text(`Hello, ${name}!`)
  })
  add(server, 'test_input_required_result_sampling', (ctx) => {
    const reply = ctx.mcpReq.inputResponses?.['capital_question']
    const capital_question = inputRequired.createMessage(samplingOf('What is the capital of France?', 100))
    return reply === undefined ? inputRequired({ inputRequests: { capital_question } }) : text(JSON.stringify(reply))
  })
  add(server, 'test_input_required_result_list_roots', (ctx) => {
    const roots = ctx.mcpReq.inputResponses?.['client_roots']
    const client_roots = inputRequired.listRoots()
    return roots === undefined ? inputRequired({ inputRequests: { client_roots } }) : text(JSON.stringify(roots))
  })
  add(server, 'test_input_required_result_capabilities', ({ mcpReq }) => {
    const declared = (mcpReq.envelope as Partial<Record<string, ClientCapabilities>>)?.[CLIENT_CAPABILITIES_META_KEY]
    const inputRequests: InputRequests = {
      ...(declared?.elicitation && { user_name: askName() }),
      ...(declared?.sampling && { greeting: inputRequired.createMessage(samplingOf('Generate a greeting', 50)) }),
    }
    const isDone = mcpReq.inputResponses !== undefined || Object.keys(inputRequests).length === 0
    return isDone ? text('Thank you.') : inputRequired({ inputRequests })
  })
  add(server, 'test_missing_capability', ({ mcpReq }) => {
    const reply = inputRequired.createMessage(samplingOf('Say something', 100))
    return mcpReq.inputResponses === undefined ? inputRequired({ inputRequests: { reply } }) : text('Thank you.')
  })
  add(server, 'test_streaming_elicitation', () => text('There was nothing to ask.'))
}

function addToolsWithState(server: McpServer, states: StateCodec): void {
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    add(server, name, async (ctx) => {
      if (ctx.mcpReq.requestState() !== undefined && answerTo(ctx, 'confirm', 'ok') !== undefined)
        return text('state-ok')
      const confirm = inputRequired.elicit(form('Please confirm', { ok: { type: 'boolean' } }, ['ok']))
      return inputRequired({ inputRequests: { confirm }, requestState: await states.mint({ asked: 'confirm' }) })
    })
  }
  add(server, 'test_input_required_result_multiple_inputs', async ({ mcpReq }) => {
    const inputRequests = {
      user_name: askName(),
      greeting: inputRequired.createMessage(samplingOf('Generate a greeting', 50)),
      client_roots: inputRequired.listRoots(),
    }
    const answers = mcpReq.inputResponses ?? {}
    if (Object.keys(inputRequests).every((key) => answers[key] !== undefined)) return text(JSON.stringify(answers))
    return inputRequired({ inputRequests, requestState: await states.mint({ asked: 'all' }) })
  })
  add(server, 'test_input_required_result_multi_round', async (ctx) => {
    const { name = answerTo(ctx, 'step1', 'name') } = ctx.mcpReq.requestState<{ name?: string }>() ?? {}
    const color = answerTo(ctx, 'step2', 'color')
    if (typeof name !== 'string') {
      const step1 = askName('Step 1: What is your name?')
      return inputRequired({ inputRequests: { step1 }, requestState: await states.mint({ step: 1 }) })
    }
    if (color !== undefined) return text(`${name} likes ${color}.`)
    const step2 = inputRequired.elicit(form('Step 2: Your color?', { color: { type: 'string' } }, ['color']))
    return inputRequired({ inputRequests: { step2 }, requestState: await states.mint({ step: 2, name }) })
  })
}

export function addPromptThatAsks(server: McpServer): void {
  const description = 'A sentence about something the person names first.'
  server.registerPrompt('test_input_required_result_prompt', { description, argsSchema: nothing }, (_, ctx) => {
    const context = answerTo(ctx, 'user_context', 'context')
    if (context !== undefined) return says(`Work with this context: ${context}`)
    const user_context = inputRequired.elicit(form('What context?', { context: { type: 'string' } }, ['context']))
    return inputRequired({ inputRequests: { user_context } })
  })
}

type Answer = CallToolResult | InputRequiredResult

function add(server: McpServer, name: string, run: (ctx: ServerContext) => Answer | Promise<Answer>): void {
  server.registerTool(name, { description: 'Asks first.', inputSchema: nothing }, (_, ctx) => run(ctx))
}

const nothing = z.object({})

type Form = ElicitRequestFormParams
type Properties = Form['requestedSchema']['properties']

function form(message: string, properties: Properties, required: string[] = []): Form {
  return { message, requestedSchema: { type: 'object', properties, required } }
}

function askName(message = 'What is your name?') {
  return inputRequired.elicit(form(message, { name: { type: 'string' } }, ['name']))
}

function samplingOf(words: string, maxTokens: number) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }], maxTokens }
}

function answerTo({ mcpReq }: ServerContext, key: string, field: string): string | boolean | undefined {
  const value = acceptedContent(mcpReq.inputResponses, key)?.[field]
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
}
