/** Claude Code gets the thread as a transcript of its own, which it resumes. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { folderAt, openInside } from '../../base/open-inside.ts'
import type { HandOver } from '../port/hand-over.ts'
import { handedOverMark } from '../port/hand-over.ts'

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly object[]
}

/**
 * For a longer path, Claude Code forms the name of the project folder in another way, so it gets the path of the file.
 */
const mostProjectLength = 200

export const handOverToClaude: HandOver = async (thread, { workspacePath, directory, env }) => {
  const conversation = randomUUID()
  const cwd = await realpath(workspacePath)
  const project = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')
  const { HOME = '', CLAUDE_CONFIG_DIR = join(HOME, '.claude') } = env
  const isLong = project.length > mostProjectLength
  const name = `${conversation}.jsonl`
  const place = isLong
    ? { folder: directory, path: name }
    : { folder: CLAUDE_CONFIG_DIR, path: join('projects', project, name) }
  const lines = transcriptOf(thread.messagesIn('anthropic') as readonly Message[], { cwd, sessionId: conversation })
  await writeNew(place, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return isLong ? { conversation, args: ['--resume', join(directory, name)] } : { conversation }
}

/** Agents write below the settings of Claude Code, so a link there may lead anywhere. */
async function writeNew(
  { folder, path }: { readonly folder: string; readonly path: string },
  text: string,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  try {
    const root = folderAt(folder)
    await using file = await openInside({ root, path, flags, mode: 0o600, makeFolders: true, folderMode: 0o700 })
    await file.writeFile(text)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'ELOOP' || code === 'ENOTDIR' ? 'a symbolic link or a file is in the way' : messageOf(error)
    throw new HubError(
      'unavailable',
      `The thread was not handed over: ${join(folder, path)} cannot be written: ${why}.`,
      {
        cause: error,
      },
    )
  }
}

/** A line for each message of a person, and for each part of an answer. */
function transcriptOf(messages: readonly Message[], common: object): readonly object[] {
  const timestamp = new Date().toISOString()
  let count = 0
  let parentUuid: string | null = null
  const line = (type: Message['role'], message: object): object => {
    const uuid = `${handedOverMark}${++count}`
    const written = { parentUuid, isSidechain: false, userType: 'external', ...common, type, message, uuid, timestamp }
    parentUuid = uuid
    return written
  }
  return messages.flatMap((message, index) => {
    const { role, content } = message
    if (role === 'user') return [line(role, { role, content })]
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return blocks.map((block) => line('assistant', answerOf(`${handedOverMark}${index}`, block)))
  })
}

function answerOf(id: string, block: object): object {
  const usage = { input_tokens: 0, output_tokens: 0 }
  return { id, type: 'message', role: 'assistant', model: 'unknown', content: [block], stop_reason: null, usage }
}
