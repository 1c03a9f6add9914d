/** The companion of an opencode in a terminal: its plugin asks and reports, its server has the conversation. */
import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Governed } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Companion, CompanionContext, OpenCompanion } from '../port/companion.ts'
import type { HookMessage } from '../port/driver.ts'
import { createCalls } from './calls.ts'
import { createOpencodeClient } from './client.ts'
import { followServer } from './follow-server.ts'
import type { ServerFile } from './server-file.ts'
import { readServerFile, writeServerFile } from './server-file.ts'

/** opencode takes long to start on a slow machine. */
const helloMs = 180_000

export const openOpencodeCompanion: OpenCompanion = (context) => {
  const { session } = context
  const file = readServerFile(session.directory)
  return file ? openCompanion(context, file) : withoutPlugin(context)
}

/** An opencode that another hub or driver started. */
function withoutPlugin({ session, stop }: CompanionContext): Companion {
  const reason = 'opencode was started without the plugin of Signalbox. Resume the session to start it with the plugin.'
  if (session.template?.own_tools === 'required') stop()
  return {
    governed: { is: 'no', reason },
    question: undefined,
    fault: session.template?.own_tools === 'required' ? reason : undefined,
    hasThread: false,
    actions: {},
    hook: async () => {
      throw new HubError('not-found', reason)
    },
    [Symbol.dispose]() {},
  }
}

function openCompanion(context: CompanionContext, stored: ServerFile): Companion {
  const { session, stop, onChange } = context
  const { directory, workspacePath, ownTools, template } = session
  const closing = new AbortController()
  let file = stored
  let fault: string | undefined
  let isLate = false
  const { port, password } = file
  const client = port !== undefined && password !== undefined ? createOpencodeClient({ port, password }) : undefined
  const calls = createCalls({ ownTools, workspacePath, client, onChange: () => server?.changed() })
  const server =
    client &&
    followServer({
      context,
      client,
      calls,
      opened: file.conversations.at(-1) ?? file.opened,
      known: [...(file.opened === undefined ? [] : [file.opened]), ...file.conversations],
      onConversation: keepConversation,
      onTooMuch(reason) {
        fault = `The hub does not follow opencode any more: ${reason}`
        server?.giveUp(reason)
      },
      signal: closing.signal,
    })
  if (file.hasPlugin) server?.start()
  else void giveUp().catch(() => {})

  function keep(change: Partial<ServerFile>): void {
    file = { ...file, ...change }
    writeServerFile(directory, file)
  }

  function keepConversation(id: string): void {
    if (file.conversations.at(-1) === id) return
    keep({ conversations: [...file.conversations.filter((other) => other !== id), id] })
  }

  async function giveUp(): Promise<void> {
    await sleep(helloMs, undefined, { signal: closing.signal, ref: false })
    if (file.hasPlugin) return
    isLate = true
    server?.giveUp(governed().reason ?? '')
    if (template?.own_tools === 'required') {
      fault = `${governed().reason} The template requires it, so the session was stopped.`
      stop()
    }
    onChange()
  }

  function governed(): Governed {
    if (file.hasPlugin) return { is: 'yes' }
    const reason = 'The plugin of Signalbox has not reported from inside opencode, so nothing asks before a tool runs.'
    return { is: 'no', reason, ...(!isLate && { unproven: true as const }) }
  }

  /** The port shows that the hub will talk to the server of this opencode, and not to another program. */
  function hello(address: unknown): void {
    if (file.hasPlugin) return
    const isOurs = port === undefined || (typeof address === 'string' && URL.parse(address)?.port === String(port))
    if (!isOurs) return
    keep({ hasPlugin: true })
    server?.start()
    onChange()
  }

  /** Commands of the agent have the token of the session, but not the password. */
  async function answerHeld({ approval, decision, password: shown }: HookMessage['body']): Promise<void> {
    if (password === undefined || typeof shown !== 'string' || !isSame(shown, password)) {
      throw new HubError('forbidden', 'Only the person at the terminal can answer.')
    }
    if (typeof approval !== 'string' || (decision !== 'approve' && decision !== 'deny')) {
      throw new HubError('invalid', 'An answer has "approval", and "decision": approve or deny.')
    }
    await calls.answerHeld(approval, decision)
  }

  async function hook({ name, body }: HookMessage, signal: AbortSignal): Promise<object> {
    if (name !== 'opencode') throw new HubError('not-found', `opencode has no hook "${name}".`)
    const { event, conversation, call: id, tool, args, proof } = body
    // An answer comes from the dialog in the terminal, which sends the password instead of the proof.
    if (event !== 'answer' && file.proof !== undefined && !isSame(String(proof), file.proof)) {
      throw new HubError('forbidden', 'Only the plugin of Signalbox inside opencode sends this.')
    }
    if (event === 'hello') hello(body['server'])
    else if (event === 'conversation' && typeof conversation === 'string') server?.follow(conversation)
    else if (event === 'call') {
      if (typeof id !== 'string' || typeof tool !== 'string' || typeof conversation !== 'string') {
        throw new HubError('invalid', 'A call has "call", "tool", "conversation" and "args".')
      }
      return calls.decide({ id, tool, conversation, args: isRecord(args) ? args : {} }, signal)
    } else if (event === 'answer') await answerHeld(body)
    else throw new HubError('invalid', `"event": opencode's plugin does not send ${JSON.stringify(event)}.`)
    return {}
  }

  return {
    get governed() {
      return governed()
    },
    get question() {
      return server?.question
    },
    get activity() {
      return server?.activity
    },
    get fault() {
      return fault
    },
    hasThread: server !== undefined,
    actions: server?.actions ?? {},
    ...(server && { prompt: (text: string, signal: AbortSignal) => server.prompt(text, signal) }),
    hook,
    [Symbol.dispose]() {
      closing.abort()
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
