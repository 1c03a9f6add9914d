/**
 * Finds the conversation of an ended session whose agent chose the id: the one in the agent's own list that was started
 * in the session's workspace while the session ran. If there are two, the hub does not guess.
 */
import { realpath } from 'node:fs/promises'
import type { ConversationRules } from '../api/template.ts'
import { HubError } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import { listCodexConversations } from './codex-conversations.ts'
import type { ListedConversation } from './conversation.ts'
import { listOpencodeConversations } from './opencode-conversations.ts'
import type { BesideSession } from './run-agent-program.ts'
import type { SessionRecord } from './session-store.ts'

const idPattern = /^[A-Za-z0-9][\w-]{0,99}$/

export async function findConversation(
  record: SessionRecord,
  rules: ConversationRules,
  environment: ProgramEnvironment,
  beside: BesideSession,
): Promise<string> {
  const { name, template, workspacePath } = record
  // The agent wrote the list, and the id becomes an argument of its program. So it must not look like a flag.
  const listed = (await list(record, rules, environment, beside)).filter(({ id }) => idPattern.test(id))
  const [from, to] = [Date.parse(record.createdAt), Date.parse(record.endedAt ?? record.updatedAt)]
  const places = [workspacePath, await realpath(workspacePath)]
  const here = listed.filter((each) => places.includes(each.workspacePath) && each.startedAt <= to)
  const started = here.filter(({ startedAt }) => startedAt >= from)
  // The session may have continued an older conversation.
  const candidates = started.length > 0 ? started : here.filter(({ changedAt }) => changedAt >= from)
  const [only, ...others] = candidates
  if (!only) throw noConversationOf(record)
  if (others.length === 0) return only.id
  const ways = candidates.map(({ id }) => rules.resume.join(' ').replaceAll('{conversation_id}', id))
  throw new HubError(
    'conflict',
    `While "${name}" ran, ${candidates.length} conversations of ${template} were started in ${workspacePath}. ` +
      `Choose one: signalbox new ${name} --template ${template} -- ${ways.join(' | ')}`,
  )
}

export function noConversationOf({ name }: Pick<SessionRecord, 'name'>): HubError {
  return new HubError(
    'not-found',
    `"${name}" has no conversation to resume: it got no prompt, or its conversation was deleted. Start another session with create_session.`,
  )
}

async function list(
  { workspacePath, createdAt }: SessionRecord,
  { listed_by: agent }: ConversationRules,
  environment: ProgramEnvironment,
  beside: BesideSession,
): Promise<readonly ListedConversation[]> {
  switch (agent) {
    case 'codex':
      return listCodexConversations(environment, Date.parse(createdAt))
    case 'opencode':
      return listOpencodeConversations(environment, workspacePath, beside)
    case undefined:
      return []
  }
}
