/**
 * An upstream over stdio that runs the steps in the arguments of a call, and logs every message that reaches it. Its
 * lists and its answers to custom methods are in a file that a test may change.
 *
 *   node stdio-upstream.ts <journal> <lists> [--modern]
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

/** The steps of a call. `result` and `error` end it, and so does the last step. */
type Step =
  | { readonly ask: object }
  | { readonly askAll: readonly object[] }
  | { readonly withdraw: object; readonly after?: string; readonly times?: number }
  | { readonly say: { readonly method: string; readonly params?: object } }
  | { readonly progress: number }
  | { readonly until: string }
  | { readonly result: unknown }
  | { readonly error: object }
  | { readonly hang: true }

interface Script {
  readonly tools?: readonly object[]
  readonly resources?: readonly object[]
  readonly resourceTemplates?: readonly object[]
  readonly prompts?: readonly object[]
  readonly promptsFail?: boolean
  /** Added to the capabilities that it always has. */
  readonly capabilities?: object
  /** Its answers to custom methods. Without this it answers every method. */
  readonly own?: Readonly<Record<string, object>>
}

const [journal = '', listsFile = '', ...flags] = process.argv.slice(2)
const isModern = flags.includes('--modern')
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  logging: {},
}
const answers = new Map<string | number, (message: Message) => void>()
const noticed = new Map<string, () => void>()
let asked = 0
let listening: string | number | undefined

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

async function ask(question: object): Promise<Message> {
  const id = `ask-${++asked}`
  const answer = new Promise<Message>((resolve) => answers.set(id, resolve))
  send({ id, ...question })
  return answer
}

async function follow(steps: readonly Step[], { id, params }: Message): Promise<object> {
  const heard: unknown[] = []
  const token = (params?.['_meta'] as Record<string, unknown> | undefined)?.['progressToken']
  for (const step of steps) {
    if ('ask' in step) heard.push(saidIn(await ask(step.ask)))
    if ('askAll' in step) heard.push(...(await Promise.all(step.askAll.map(ask))).map(saidIn))
    if ('withdraw' in step) {
      for (let count = 0; count < (step.times ?? 1); count++) {
        void ask(step.withdraw)
        if (step.after !== undefined) await noticedOf(step.after)
        send({ method: 'notifications/cancelled', params: { requestId: `ask-${asked}` } })
      }
    }
    if ('say' in step) say(step.say.method, step.say.params)
    if ('progress' in step && token !== undefined) {
      send({ method: 'notifications/progress', params: { progressToken: token, progress: step.progress } })
    }
    if ('until' in step) await noticedOf(step.until)
    if ('result' in step) return { result: step.result }
    if ('error' in step) return { error: step.error }
    if ('hang' in step) await new Promise(() => {})
  }
  const text = JSON.stringify({ call: id, heard })
  return { result: { content: [{ type: 'text', text }], ...(isModern && { resultType: 'complete' }) } }
}

function noticedOf(method: string): Promise<void> {
  return new Promise((resolve) => noticed.set(method, resolve))
}

function say(method: string, params: object = {}): void {
  const _meta = isModern ? { _meta: { 'io.modelcontextprotocol/subscriptionId': listening } } : {}
  send({ method, params: { ...params, ..._meta } })
}

function saidIn({ result, error }: Message): unknown {
  return error === undefined ? result : { error }
}

function lists(): Script {
  return existsSync(listsFile) ? JSON.parse(readFileSync(listsFile, 'utf8')) : {}
}

const cached = isModern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
const complete = isModern ? { resultType: 'complete' } : {}

async function answerTo(message: Message): Promise<object | undefined> {
  const { id, method = '', params = {} } = message
  const { tools = [{ name: 'script', inputSchema: { type: 'object' } }], own, ...others } = lists()
  switch (method) {
    case 'initialize':
      if (isModern) return { error: { code: -32601, message: 'Method not found' } }
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { ...capabilities, ...others.capabilities },
          serverInfo: { name: 'scripted', version: '1' },
          instructions: flags.find((flag) => !flag.startsWith('--')),
        },
      }
    case 'server/discover':
      if (!isModern) return { error: { code: -32601, message: 'Method not found' } }
      return { result: { supportedVersions: ['2026-07-28'], capabilities, ...cached } }
    case 'subscriptions/listen': {
      listening = id!
      const subscribed = { notifications: params['notifications'] }
      say('notifications/subscriptions/acknowledged', subscribed)
      return undefined
    }
    case 'tools/list':
      return { result: { tools, ...cached } }
    case 'resources/list':
      return { result: { resources: others.resources ?? [], ...cached } }
    case 'resources/templates/list':
      return { result: { resourceTemplates: others.resourceTemplates ?? [], ...cached } }
    case 'prompts/list':
      return others.promptsFail
        ? { error: { code: -32603, message: 'no prompts today' } }
        : { result: { prompts: others.prompts ?? [], ...cached } }
    case 'resources/read':
      return {
        result: { contents: [{ uri: params['uri'], text: `${journal} has ${String(params['uri'])}` }], ...cached },
      }
    case 'prompts/get':
      return { result: { messages: [], ...complete } }
    case 'completion/complete':
      return { result: { completion: { values: ['one'] }, ...complete } }
    case 'tools/call':
      return callTool(message)
    default:
      if (own) return own[method] ?? { error: { code: -32601, message: 'Method not found' } }
      return { result: { did: method, ...complete } }
  }
}

/** At 2026-07-28 a question is a result, and the state that comes back says where to continue. */
async function callTool(message: Message): Promise<object> {
  const { params = {} } = message
  const { steps = [], question } = (params['arguments'] ?? {}) as { steps?: readonly Step[]; question?: object }
  if (isModern && question && params['inputResponses'] === undefined) {
    return { result: { resultType: 'input_required', requestState: 'the state of the upstream', ...question } }
  }
  return follow(steps, message)
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message
  appendFileSync(journal, `${line}\n`)
  if (message.method === undefined) answers.get(message.id!)?.(message)
  else if (message.id === undefined) noticed.get(message.method)?.()
  else void answerTo(message).then((answer) => answer && send({ id: message.id, ...answer }))
}
