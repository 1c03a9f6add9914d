/** The conversations that opencode keeps in its database, as it lists them. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { ListedConversation } from './conversation.ts'

const listSchema = z.array(
  z.object({ id: z.string(), directory: z.string(), created: z.number(), updated: z.number() }),
)

const newest = 1_000
const listWithinMs = 60_000

const run = promisify(execFile)

export async function listOpencodeConversations(
  environment: ProgramEnvironment,
  workspacePath: string,
): Promise<readonly ListedConversation[]> {
  const program = findProgram('opencode', environment['PATH'] ?? '', workspacePath)
  const args = ['session', 'list', '--format', 'json', '--max-count', String(newest)]
  try {
    const { stdout } = await run(program, args, { cwd: workspacePath, env: { ...environment }, timeout: listWithinMs })
    // opencode prints nothing if it has no conversations.
    const listed = listSchema.parse(stdout.trim() === '' ? [] : JSON.parse(stdout))
    return listed.map(({ id, directory, created, updated }) => ({
      id,
      workspacePath: directory,
      startedAt: created,
      changedAt: updated,
    }))
  } catch (error) {
    throw new HubError('unavailable', `opencode could not list its conversations: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
