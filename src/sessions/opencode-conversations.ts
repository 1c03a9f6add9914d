/** The conversations that opencode keeps in its database, as it lists them. */
import { z } from 'zod'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { ListedConversation } from './conversation.ts'
import type { BesideSession } from './run-agent-program.ts'
import { runAgentProgram } from './run-agent-program.ts'

const listSchema = z.array(
  z.object({ id: z.string(), directory: z.string(), created: z.number(), updated: z.number() }),
)

const newest = 1_000
const listWithinMs = 60_000

/** Ignores files in the workspace: an agent can write one that loads a plugin. */
const ownSettings = { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }

export async function listOpencodeConversations(
  environment: ProgramEnvironment,
  workspacePath: string,
  beside: BesideSession,
): Promise<readonly ListedConversation[]> {
  const file = findProgram('opencode', environment['PATH'] ?? '', workspacePath)
  const args = ['session', 'list', '--format', 'json', '--max-count', String(newest)]
  try {
    const program = { file, args, cwd: workspacePath, env: { ...environment, ...ownSettings } }
    const stdout = await runAgentProgram(program, beside, { timeout: listWithinMs })
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
