/** The HTTP API of an opencode server that the hub uses. Each request has a time-out: opencode may hang at start. */
import { z } from 'zod'
import { eventsIn } from '../../base/event-stream.ts'
import { HubError } from '../../base/hub-error.ts'
import { whyTooHeavy } from '../../base/json-weight.ts'
import type { ServerEvent } from './messages.ts'
import { messageWithPartsSchema, permissionSchema, questionRequestSchema, readEvent, statusSchema } from './messages.ts'

export interface OpencodeClient {
  /** Resolves if the server takes our password and refuses requests without it. */
  prove(signal: AbortSignal): Promise<void>
  /** Ends when the connection is lost, or silent for too long. */
  events(signal: AbortSignal): AsyncGenerator<ServerEvent, void>
  statuses(): Promise<Readonly<Record<string, z.output<typeof statusSchema>>>>
  /** `undefined`: there is none. */
  session(id: string): Promise<z.output<typeof sessionSchema> | undefined>
  messages(id: string): Promise<readonly z.output<typeof messageWithPartsSchema>[]>
  permissions(): Promise<readonly z.output<typeof permissionSchema>[]>
  questions(): Promise<readonly z.output<typeof questionRequestSchema>[]>
  createSession(): Promise<z.output<typeof sessionSchema>>
  /** Shows the conversation in the terminal. */
  select(id: string): Promise<void>
  /** Returns at once. A turn that runs takes the text with its next step. */
  prompt(id: string, text: string): Promise<void>
  abort(id: string): Promise<void>
  replyPermission(id: string, reply: 'once' | 'reject', message?: string): Promise<void>
  replyQuestion(id: string, answers: readonly (readonly string[])[]): Promise<void>
  /** Shows a short text in the terminal. */
  toast(title: string, message: string): Promise<void>
}

const sessionSchema = z.looseObject({ id: z.string(), parentID: z.string().optional() })

const requestMs = 30_000
/** opencode sends a heartbeat every 10 seconds. */
const silenceMs = 45_000
const toastMs = 15_000
/** A long conversation. */
const longestAnswerBytes = 64 * 1024 * 1024
const mostMembersOfAnswer = 2_000_000

export interface ServerAddress {
  readonly port: number
  readonly password: string
}

export function createOpencodeClient({ port, password }: ServerAddress): OpencodeClient {
  const origin = `http://127.0.0.1:${port}`
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`

  /** The server is a program of the agent. A redirect would make the hub send its text to any other program. */
  function reach(path: string, options: RequestInit): Promise<Response> {
    return fetch(new URL(path, origin), { ...options, redirect: 'manual' })
  }
  function ask(path: string, body?: object): Promise<Response> {
    return reach(path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestMs),
    })
  }
  async function orThrow(response: Response): Promise<Response> {
    if (response.ok) return response
    const { pathname } = new URL(response.url)
    throw new HubError('unavailable', `opencode answered ${pathname} with ${response.status}: ${await response.text()}`)
  }
  const request = async (path: string, body?: object) => orThrow(await ask(path, body))
  async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return schema.parse(await jsonOf(await request(path)))
  }
  async function post(path: string, body: object): Promise<void> {
    await (await request(path, body)).arrayBuffer()
  }

  return {
    async prove(signal) {
      const soon = AbortSignal.any([signal, AbortSignal.timeout(requestMs)])
      const stranger = await reach('/global/health', { signal: soon })
      await stranger.arrayBuffer()
      if (stranger.status !== 401) throw new HubError('unavailable', 'Another program answers at the port of opencode.')
      await (await request('/global/health')).arrayBuffer()
    },
    async *events(signal) {
      const silent = new AbortController()
      const timer = setTimeout(() => silent.abort(), silenceMs)
      try {
        const either = AbortSignal.any([signal, silent.signal])
        const response = await reach('/global/event', { headers: { authorization }, signal: either })
        if (!response.ok || !response.body) throw new HubError('unavailable', `opencode answered ${response.status}.`)
        for await (const { data } of eventsIn(response.body)) {
          timer.refresh()
          assertLight(Buffer.from(data), 'an event')
          const event = readEvent(data)
          if (event) yield event
        }
      } finally {
        clearTimeout(timer)
        silent.abort()
      }
    },
    statuses: () => get('/session/status', z.record(z.string(), statusSchema)),
    async session(id) {
      const response = await ask(`/session/${id}`)
      if (response.status !== 404 && response.status !== 400)
        return sessionSchema.parse(await jsonOf(await orThrow(response)))
      await response.arrayBuffer()
      return undefined
    },
    messages: (id) => get(`/session/${id}/message`, z.array(messageWithPartsSchema)),
    permissions: () => get('/permission', z.array(permissionSchema)),
    questions: () => get('/question', z.array(questionRequestSchema)),
    createSession: async () => sessionSchema.parse(await jsonOf(await request('/session', {}))),
    select: (id) => post('/tui/select-session', { sessionID: id }),
    prompt: (id, text) => post(`/session/${id}/prompt_async`, { parts: [{ type: 'text', text }] }),
    abort: (id) => post(`/session/${id}/abort`, {}),
    replyPermission: (id, reply, message) => post(`/permission/${id}/reply`, { reply, ...(message && { message }) }),
    replyQuestion: (id, answers) => post(`/question/${id}/reply`, { answers }),
    toast: (title, message) => post('/tui/show-toast', { title, message, variant: 'info', duration: toastMs }),
  }
}

/** The server is a program of the session, so its answers may be of any size. */
async function jsonOf({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > longestAnswerBytes) throw tooMuch('an answer', `it has more than ${longestAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  const all = Buffer.concat(chunks)
  assertLight(all, 'an answer', mostMembersOfAnswer)
  return JSON.parse(all.toString())
}

function assertLight(bytes: Buffer, what: string, mostMembers?: number): void {
  const why = whyTooHeavy(bytes, mostMembers)
  if (why !== undefined) throw tooMuch(what, why)
}

function tooMuch(what: string, why: string): HubError {
  return new HubError('too-large', `opencode sent ${what} that is too much for the hub: ${why}.`)
}
