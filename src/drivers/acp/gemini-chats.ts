/**
 * Gemini CLI names the file of a chat after the minute in which the chat was opened. If it loaded a chat within the
 * minute in which the chat began, it would open the same file again and lose the chat.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { namesIn } from '../../base/names-in.ts'
import type { ProgramEnvironment } from '../../config/config.ts'

const checkEveryMs = 500

export async function chatMinutePassed(env: ProgramEnvironment, conversation: string | undefined): Promise<void> {
  if (conversation === undefined) return
  const chats = await chatsOf(env)
  const began = nameNow(conversation)
  // If the files cannot be listed, the chat may be of this minute.
  const isOfThisMinute = () => (chats ?? [began]).some((name) => name.includes(nameNow(conversation)))
  while (isOfThisMinute()) await sleep(checkEveryMs)
}

/** As in session-2026-11-17T04-58-3d47fa1c.jsonl */
function nameNow(conversation: string): string {
  const minute = new Date().toISOString().slice(0, 16).replaceAll(':', '-')
  return `session-${minute}-${conversation.slice(0, 8)}`
}

/** `undefined`: they cannot be listed. */
export async function chatsOf({
  HOME = '',
  GEMINI_CLI_HOME = HOME,
}: ProgramEnvironment): Promise<readonly string[] | undefined> {
  const projects = join(GEMINI_CLI_HOME, '.gemini', 'tmp')
  try {
    const folders = await namesIn(projects)
    return (await Promise.all(folders.map((folder) => namesIn(join(projects, folder, 'chats'))))).flat()
  } catch {
    return undefined
  }
}
