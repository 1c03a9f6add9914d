/** opencode imports the thread as a session of its own, and opens it. */
import { randomBytes } from 'node:crypto'
import { realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { HubError } from '../../base/hub-error.ts'
import { folderAt } from '../../base/open-inside.ts'
import { readInside } from '../../base/read-inside.ts'
import type { ProgramEnvironment } from '../../config/config.ts'
import type { HandOver, HandOverPlace } from '../port/hand-over.ts'
import { handedOverMark } from '../port/hand-over.ts'

type ChatMessage =
  | { readonly role: 'user'; readonly content: Content }
  | { readonly role: 'assistant'; readonly content?: Content; readonly tool_calls?: readonly Call[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: Content }
type Content = string | readonly { readonly text?: string }[]

interface Call {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

interface Model {
  readonly providerID: string
  readonly modelID: string
}

/** Ignores files in the workspace: an agent can write one that loads a plugin. */
const ownSettings = { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }

export const handOverToOpencode: HandOver = async (thread, place) => {
  const file = join(place.directory, 'earlier-thread.json')
  const ids = createIds()
  const session = ids.session
  const cwd = await realpath(place.workspacePath)
  const messages = thread.messagesIn('openai-chat') as readonly ChatMessage[]
  const content = {
    info: infoOf(session, cwd),
    messages: sessionOf(messages, { ids, cwd, model: await modelFor(place) }),
  }
  await writeFile(file, JSON.stringify(content), { mode: 0o600 })
  const said = await place.run({ args: ['import', file], env: ownSettings, files: [file] })
  if (said.includes(session)) return { conversation: session }
  throw new HubError('unavailable', `opencode did not import the thread: ${said.trim().slice(0, 300)}`)
}

function infoOf(id: string, directory: string): object {
  const now = Date.now()
  const title = 'Continued by Signalbox'
  return { id, slug: id, projectID: 'global', directory, title, version: '0', time: { created: now, updated: now } }
}

interface Writing {
  readonly ids: Ids
  readonly cwd: string
  readonly model: Model
}

function sessionOf(messages: readonly ChatMessage[], { ids, cwd, model }: Writing): readonly object[] {
  const now = Date.now()
  const time = { start: now, end: now }
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, textOf(message.content)] as const] : [],
    ),
  )
  const written: object[] = []
  let prompt: string | undefined

  function addPrompt(text: string): string {
    const id = ids.next('msg')
    const info = { id, sessionID: ids.session, role: 'user', agent: 'build', model, time: { created: now } }
    written.push({ info, parts: [partOf(id, { type: 'text', text })] })
    prompt = id
    return id
  }

  function partOf(messageID: string, part: object): object {
    return { ...part, id: ids.next('prt'), sessionID: ids.session, messageID }
  }

  for (const message of messages) {
    if (message.role === 'user') addPrompt(textOf(message.content))
    if (message.role !== 'assistant') continue
    // An answer belongs to a prompt.
    const parentID = prompt ?? addPrompt('The conversation began without a prompt.')
    const id = ids.next('msg')
    const { content = '', tool_calls: calls = [] } = message
    const info = {
      id,
      sessionID: ids.session,
      parentID,
      role: 'assistant',
      mode: 'build',
      agent: 'build',
      ...model,
      path: { cwd, root: '/' },
      cost: 0,
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      time: { created: now, completed: now },
      finish: calls.length > 0 ? 'tool-calls' : 'stop',
    }
    const text = textOf(content)
    const parts = [
      ...(text === '' ? [] : [partOf(id, { type: 'text', text, time })]),
      ...calls.map((call) => {
        const { name: tool, arguments: given } = call.function
        const output = results.get(call.id) ?? ''
        const input = JSON.parse(given) as object
        const state = { status: 'completed', input, output, metadata: {}, title: tool, time }
        return partOf(id, { type: 'tool', tool, callID: call.id, state })
      }),
    ]
    written.push({ info, parts })
  }
  return written
}

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.flatMap(({ text }) => text ?? []).join('\n')
}

interface Ids {
  readonly session: string
  next(kind: 'msg' | 'prt'): string
}

/** opencode sorts messages by their ids, which begin with the time. */
function createIds(): Ids {
  const bits = 48n
  const start = BigInt(Date.now()) * 0x1000n
  const hex = (value: bigint) => BigInt.asUintN(Number(bits), value).toString(16).padStart(12, '0')
  const random = () => randomBytes(7).toString('hex')
  let count = 0n
  return {
    session: `ses_${hex(~start)}${random()}`,
    next: (kind) => `${kind}_${hex(start + ++count)}${handedOverMark}${random()}`,
  }
}

/**
 * opencode continues an imported session with the model that the session names: the requested one, or its usual one.
 */
async function modelFor({ model, env, run }: HandOverPlace): Promise<Model> {
  const chosen = model ?? (await configuredModel(run)) ?? (await usualModel(env, run))
  const [providerID, ...rest] = (chosen ?? '').split('/')
  if (providerID && rest.length > 0) return { providerID, modelID: rest.join('/') }
  throw new HubError('unavailable', 'opencode has no model. Log in with "opencode auth login", or name one in "model".')
}

async function usualModel(env: ProgramEnvironment, run: HandOverPlace['run']): Promise<string | undefined> {
  const lines = (await run({ args: ['models'], env: ownSettings, needsNetwork: true }))
    .split('\n')
    .map((line) => line.trim())
  const available = lines.filter((line) => line.includes('/'))
  return recentModels(env).find((one) => available.includes(one)) ?? available[0]
}

async function configuredModel(run: HandOverPlace['run']): Promise<string | undefined> {
  const said = await run({ args: ['debug', 'config'], env: ownSettings })
  try {
    return z.object({ model: z.string().optional() }).parse(JSON.parse(said)).model
  } catch {
    return undefined
  }
}

const recentSchema = z.object({ recent: z.array(z.object({ providerID: z.string(), modelID: z.string() })) })

const mostRecentBytes = 1024 * 1024

/** opencode writes the file, so it may be anything. Then opencode's first model is used. */
function recentModels({ HOME = '', XDG_STATE_HOME }: ProgramEnvironment): readonly string[] {
  try {
    const state = folderAt(XDG_STATE_HOME ?? join(HOME, '.local', 'state'))
    const read = readInside(state, join('opencode', 'model.json'), mostRecentBytes)
    if (read.is !== 'content') return []
    return recentSchema
      .parse(JSON.parse(read.bytes.toString()))
      .recent.map(({ providerID, modelID }) => `${providerID}/${modelID}`)
  } catch {
    return []
  }
}
