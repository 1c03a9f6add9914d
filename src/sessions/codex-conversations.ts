/**
 * The conversations that Codex keeps: `$CODEX_HOME/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, written from
 * the first turn on, or earlier if the conversation has a name, and appended to when it is resumed. The first line says
 * where and when the conversation started.
 */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { ListedConversation } from './conversation.ts'

const firstLine = z.object({
  type: z.literal('session_meta'),
  payload: z.object({ id: z.string(), cwd: z.string(), timestamp: z.coerce.date() }),
})

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
    const files = await readdir(directory, { recursive: true })
    const found: ListedConversation[] = []
    for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
      const path = join(directory, file)
      const changedAt = (await stat(path)).mtimeMs
      if (changedAt < since) continue
      const meta = await readMeta(path)
      if (meta) found.push({ ...meta, changedAt })
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
async function readMeta(path: string): Promise<Omit<ListedConversation, 'changedAt'> | undefined> {
  const input = createReadStream(path)
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
