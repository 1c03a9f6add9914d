/** `/hooks/<name>`: hooks that an agent's program runs ask and report here, with the token of their session. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import type { Principal } from '../base/principal.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './send.ts'

export const hooksPrefix = '/hooks/'

/** The answer is for the agent's program. The signal fires when the program no longer waits. */
export type OnHook = (
  session: string,
  message: { readonly name: string; readonly body: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
) => Promise<object>

export interface HookExchange {
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly caller: Principal
  readonly maxBodyBytes: number
  readonly onHook: OnHook
}

export async function answerHook({
  path,
  request,
  response,
  caller,
  maxBodyBytes,
  onHook,
}: HookExchange): Promise<void> {
  if (caller.role !== 'agent' || caller.session === undefined) {
    throw new HubError('forbidden', 'Hooks are for agents: use the token of a session.')
  }
  const body = parseObject(await readBody(request, maxBodyBytes))
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // A person may take hours to answer, and nothing is sent meanwhile.
  request.socket.setTimeout(0)
  const answer = await onHook(caller.session, { name: path.slice(hooksPrefix.length), body }, gone.signal)
  if (!gone.signal.aborted) sendJson(response, 200, answer)
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    if (isRecord(body)) return body
  } catch {
    // It is reported below.
  }
  throw new HubError('invalid', 'The body of a hook is a JSON object.')
}
