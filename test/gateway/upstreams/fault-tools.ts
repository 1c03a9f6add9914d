/** The tools of the faulty upstream: each has its own fault, except `echo`, which works. */
import { setTimeout as sleep } from 'node:timers/promises'

const kinds = ['stdio', 'http', 'modern', 'sse'] as const
export type Kind = (typeof kinds)[number]

export function isKind(text: string | undefined): text is Kind {
  return (kinds as readonly unknown[]).includes(text)
}

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly protocolVersion?: string
    readonly arguments?: { readonly text?: string; readonly megabytes?: number }
    readonly _meta?: { readonly progressToken?: string | number }
  }
}

/** How one request is answered. Every method but `write` ends the answer. */
export interface Reply {
  /** Sends all messages in one packet. */
  messages(...messages: readonly object[]): void
  /** Writes raw bytes: a line of a stream, the body of an HTTP response. */
  write(bytes: string): Promise<void>
  end(): void
  /** Closes the socket in the middle of the answer. */
  cut(): void
  /** HTTP only. */
  status(code: number, body: string): void
}

export interface FaultTool {
  readonly name: string
  readonly only?: readonly Kind[]
  readonly isReadOnly?: boolean
  run(reply: Reply, request: Request, state: State): void | Promise<void>
}

/** The state of the upstream. */
export interface State {
  unauthorized: boolean
  forgotten: boolean
  hasPassingTool: boolean
  /** Notifies all listeners. */
  notify(method: string): void
  forget(): void
}

/** Numbers that JavaScript would change. */
export const largeNumbers = '{"id":1234567890123456789,"most":1e400,"list":[-9007199254740993,1.5]}'

const megabyte = 'x'.repeat(1024 * 1024)

export const faultTools: readonly FaultTool[] = [
  {
    name: 'echo',
    isReadOnly: true,
    run: (reply, request) => reply.messages(result(request, request.params?.arguments?.text ?? '')),
  },
  { name: 'fault_killed', run: () => void process.kill(process.pid, 'SIGKILL') },
  { name: 'fault_hangs', run() {} },
  {
    name: 'fault_floods',
    async run(reply, request) {
      const megabytes = request.params?.arguments?.megabytes ?? 100
      await reply.write(
        `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":{"resultType":"complete","content":[{"type":"text","text":"`,
      )
      for (let sent = 0; sent < megabytes; sent++) await reply.write(megabyte)
      await reply.write('"}]}}')
      reply.end()
    },
  },
  {
    name: 'fault_answers_twice',
    run: (reply, request) => reply.messages(result(request, 'the first answer'), result(request, 'the second answer')),
  },
  {
    name: 'fault_wrong_id',
    run: (reply, request) => reply.messages(result({ id: `not ${request.id}` }, 'an answer to nothing')),
  },
  {
    name: 'fault_invalid_json',
    async run(reply, request) {
      await reply.write(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":{`)
      reply.end()
    },
  },
  {
    name: 'fault_nests',
    async run(reply, request) {
      const deep = '['.repeat(5_000) + ']'.repeat(5_000)
      await reply.write(
        `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":{"resultType":"complete","content":[],"structuredContent":{"deep":${deep}}}}`,
      )
      reply.end()
    },
  },
  {
    name: 'fault_large_numbers',
    async run(reply, request) {
      const id = JSON.stringify(request.id)
      await reply.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],"structuredContent":${largeNumbers}}}`,
      )
      reply.end()
    },
  },
  {
    name: 'fault_noise',
    only: ['stdio'],
    async run(reply, request) {
      await reply.write('Debugger listening on ws://127.0.0.1:9229\n\n[{"not":"a message"},1]\n"text"\n')
      reply.messages(result(request, 'after the noise'))
    },
  },
  {
    name: 'fault_one_byte',
    async run(reply, request) {
      for (const byte of JSON.stringify(result(request, 'byte by byte'))) {
        await reply.write(byte)
        await sleep(1)
      }
      reply.end()
    },
  },
  {
    name: 'fault_chatters',
    run(reply, request) {
      const progressToken = request.params?._meta?.progressToken
      const steps = Array.from({ length: progressToken === undefined ? 0 : 200 }, (_, n) => n + 1)
      const notices = steps.map((progress) => {
        return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total: 200 } }
      })
      reply.messages(...notices, result(request, 'all in one packet'))
    },
  },
  {
    name: 'fault_breaks_schema',
    run: (reply, { id }) =>
      reply.messages({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: 'no list' } }),
  },
  {
    name: 'fault_reserved_code',
    run: (reply, { id }) => reply.messages({ jsonrpc: '2.0', id, error: { code: -32951, message: 'denied, I say' } }),
  },
  {
    name: 'fault_error',
    run: (reply, { id }) =>
      reply.messages({
        jsonrpc: '2.0',
        id,
        error: { code: -32099, message: 'not today', data: { until: 'tomorrow' } },
      }),
  },
  { name: 'fault_hangs_up', run: (reply) => reply.cut() },
  {
    name: 'fault_changes_tools',
    run(reply, request, state) {
      state.hasPassingTool = !state.hasPassingTool
      state.notify('notifications/tools/list_changed')
      reply.messages(result(request, 'the tools have changed'))
    },
  },
  {
    name: 'fault_unauthorized_once',
    only: ['http', 'modern', 'sse'],
    run(reply, request, state) {
      state.unauthorized = !state.unauthorized
      if (state.unauthorized) reply.status(401, 'who are you?')
      else reply.messages(result(request, 'welcome back'))
    },
  },
  {
    name: 'fault_server_error',
    only: ['http', 'modern', 'sse'],
    run: (reply) => reply.status(500, '<html><h1>Internal Server Error</h1></html>'),
  },
  { name: 'fault_forgets', only: ['http'], run: forgetOnce },
  { name: 'fault_forgets_safely', only: ['http'], isReadOnly: true, run: forgetOnce },
]

export const passingTool: FaultTool = {
  name: 'passing',
  run: (reply, request) => reply.messages(result(request, 'still here')),
}

function forgetOnce(reply: Reply, request: Request, state: State): void {
  state.forgotten = !state.forgotten
  if (!state.forgotten) return reply.messages(result(request, 'as if nothing had happened'))
  state.forget()
  reply.status(404, 'no such session')
}

export function result({ id }: Pick<Request, 'id'>, text: string): object {
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } }
}

export function describe({ name, isReadOnly = false }: FaultTool): object {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: isReadOnly },
  }
}
