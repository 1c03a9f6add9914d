/** Common steps of session tests, on their own hub. */
import type { Session } from '../../src/api/session.ts'
import { shippedHub } from './hub-process.ts'
import { type OwnHub, startOwnHub } from './own-hub.ts'
import { modern } from '../http/modern-request.ts'

type Args = Readonly<Record<string, unknown>>

export function startSessionHub(env: Readonly<Record<string, string>> = {}): Promise<OwnHub> {
  return startOwnHub({ program: shippedHub, env })
}

/** Starts a session that runs a shell line. */
export async function start(hub: OwnHub, name: string, command: string, more: Args = {}): Promise<Session> {
  return (await hub.call('create_session', { name, command, ...more })) as unknown as Session
}

export async function sessionOf(hub: OwnHub, name: string): Promise<Session> {
  return (await hub.call('get_session', { name })) as unknown as Session
}

/** The text of the screen, without the empty lines at its end. */
export async function screenOf(hub: OwnHub, session: string): Promise<string> {
  const { lines } = await hub.call('read_screen', { session })
  return (lines as readonly string[]).join('\n').trimEnd()
}

/** Returns the error message of a call that fails. */
export async function failureOf(hub: OwnHub, tool: string, args: Args): Promise<string> {
  const { body } = await modern(hub, 'tools/call', { name: tool, arguments: args })
  const { result } = body as { result?: { isError?: boolean; content: readonly { text: string }[] } }
  if (result?.isError !== true) throw new Error(`${tool} did not fail: ${JSON.stringify(body)}`)
  return result.content[0]!.text
}
