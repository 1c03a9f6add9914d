/**
 * The conversations that Codex keeps: `$CODEX_HOME/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, written from
 * the first turn on, or earlier if the conversation has a name, and appended to when it is resumed. The first line says
 * where and when the conversation started.
 */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import { folderAt, openInside } from '../base/open-inside.ts'
import { systemReason } from '../base/system-reason.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { ListedConversation } from './conversation.ts'

const firstLine = z.object({
  type: z.literal('session_meta'),
  payload: z.object({ id: z.string(), cwd: z.string(), timestamp: z.coerce.date() }),
})

const flags = constants.O_RDONLY | constants.O_NONBLOCK
/** The first turn is near the beginning. */
const mostBytes = 32 * 1024 * 1024

/** Codex writes such a line when a turn begins. */
const turnLine = /"type":"(task_started|turn_context|user_message|UserMessage)"/

/** The conversations that were written to after `since`. */
export async function listCodexConversations(
  environment: ProgramEnvironment,
  since: number,
): Promise<readonly ListedConversation[]> {
  const home = environment['CODEX_HOME'] ?? join(environment['HOME'] ?? '', '.codex')
  const directory = join(home, 'sessions')
  try {
    const root = folderAt(directory)
    const files = await readdir(root.path, { recursive: true })
    const found: ListedConversation[] = []
    for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
      // Agents write there, so a link or a pipe is not a conversation.
      await using opened = await openInside({ root, path: file, flags }).catch(() => undefined)
      const stat = await opened?.stat()
      if (!opened || !stat?.isFile() || stat.mtimeMs < since) continue
      const meta = await readMeta(opened)
      if (meta) found.push({ ...meta, changedAt: stat.mtimeMs })
    }
    return found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new HubError(
      'unavailable',
      `The hub cannot read the conversations in ${directory}: ${systemReason(error)}.`,
      {
        cause: error,
      },
    )
  }
}

/** `undefined`: it is not a conversation, or it has had no turn. */
async function readMeta(file: FileHandle): Promise<Omit<ListedConversation, 'changedAt'> | undefined> {
  const input = file.createReadStream({ end: mostBytes, autoClose: false })
  let meta: z.output<typeof firstLine> | undefined
  try {
    for await (const line of createInterface({ input })) {
      meta ??= firstLine.safeParse(parsed(line)).data
      if (!meta) return undefined
      if (!turnLine.test(line)) continue
      const { id, cwd, timestamp } = meta.payload
      return { id, workspacePath: cwd, startedAt: timestamp.getTime() }
    }
    return undefined
  } finally {
    input.destroy()
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
