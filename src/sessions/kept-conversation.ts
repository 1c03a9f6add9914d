/**
 * Whether an agent has stored the conversation whose id the hub chose. Agents write the file with the first prompt.
 * Without the file there is nothing to resume: the agent says so and ends.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConversationRules } from '../api/template.ts'
import { namesIn } from '../base/names-in.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { TemplateSource } from './template-source.ts'
import type { PersonsEnvironment } from '../config/config.ts'
import type { SessionRecord } from './session-store.ts'

/** `unknown`: the hub cannot look, so there may be one. */
export type KeptConversation = 'kept' | 'nothing' | 'unknown'

export type LookForConversation = (
  record: Pick<SessionRecord, 'template' | 'startedAt' | 'conversation'>,
) => Promise<KeptConversation>

export interface LookOptions {
  readonly templates: Pick<TemplateSource, 'find'>
  readonly environment: Pick<PersonsEnvironment, 'forPrograms'>
}

export function createLookForConversation({ templates, environment }: LookOptions): LookForConversation {
  return async ({ template: name, startedAt, conversation }) => {
    if (startedAt === undefined || conversation?.id === undefined) return 'unknown'
    try {
      const { conversation: rules, prefix, env } = templates.find(name).template
      // Behind a prefix such as bwrap or ssh, the agent's files are elsewhere.
      if (rules?.kept_by === undefined || prefix.length > 0) return 'unknown'
      const programs = { ...(await environment.forPrograms()), ...env }
      return (await isKept(placeOf(rules.kept_by, conversation.id, programs))) ? 'kept' : 'nothing'
    } catch {
      // The template is gone, the agent has no home here, or its files cannot be read.
      return 'unknown'
    }
  }
}

async function isKept({ home, projects, folder, ending }: Place): Promise<boolean> {
  const known = await readdir(home)
  for (const project of known.includes(projects) ? await readdir(join(home, projects)) : []) {
    const files = await namesIn(join(home, projects, project, folder))
    if (files.some((file) => file.endsWith(ending))) return true
  }
  return false
}

interface Place {
  readonly home: string
  /** The folder in `home` that has a folder for each project. */
  readonly projects: string
  /** The folder of conversations, in the folder of a project. */
  readonly folder: string
  readonly ending: string
}

function placeOf(agent: NonNullable<ConversationRules['kept_by']>, id: string, environment: ProgramEnvironment): Place {
  const { HOME = '', CLAUDE_CONFIG_DIR, GEMINI_CLI_HOME = HOME } = environment
  switch (agent) {
    case 'claude':
      return {
        home: CLAUDE_CONFIG_DIR ?? join(HOME, '.claude'),
        projects: 'projects',
        folder: '',
        ending: `${id}.jsonl`,
      }
    case 'gemini':
      return {
        home: join(GEMINI_CLI_HOME, '.gemini'),
        projects: 'tmp',
        folder: 'chats',
        // session-2026-11-17T04-58-3d47fa1c.jsonl
        ending: `-${id.slice(0, 8)}.jsonl`,
      }
  }
}
