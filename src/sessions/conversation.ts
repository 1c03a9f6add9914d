/** The conversation with an agent, which a later session can resume. */
import { randomUUID } from 'node:crypto'
import type { ConversationRules, Template } from '../api/template.ts'
import { argumentLists } from '../api/template.ts'
import { isOver } from '../api/session.ts'
import type { HandedThread } from './hand-over.ts'
import type { SessionRecord } from './session-store.ts'

export function canResume({ status, startedAt, conversation }: SessionRecord): boolean {
  return isOver(status) && startedAt !== undefined && conversation !== undefined
}

/** The conversation of a new session. `undefined`: it has none, or the hub cannot know its id. */
export function beginConversation(
  { conversation: rules }: Template,
  agentArgs: readonly string[],
): SessionRecord['conversation'] {
  if (!rules) return undefined
  if (rules.listed_by) return { id: undefined }
  return choosesConversation(rules, agentArgs) ? undefined : { id: randomUUID() }
}

/** Whether a person chose the conversation with these flags. */
export function choosesConversation({ chosen_by: flags }: ConversationRules, agentArgs: readonly string[]): boolean {
  return agentArgs.some((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)))
}

type Conversing = Pick<SessionRecord, 'agentArgs' | 'conversation' | 'resumedFrom'>

/** Replaces the placeholders for argument lists, and fills in the other arguments. A person's own arguments stay as typed. */
export function expandArgs(
  args: readonly string[],
  { conversation: rules }: Template,
  record: Conversing,
  { fill, handed }: { readonly fill: (arg: string) => string; readonly handed?: HandedThread | undefined },
): readonly string[] {
  return args.flatMap((arg) => {
    if (arg === argumentLists.agentArgs) return record.agentArgs
    if (arg !== argumentLists.conversation) return fill(arg)
    if (handed?.isConversation) return handedArgs(rules, handed)
    // A thread that is handed over as a text begins a new conversation.
    return conversationArgs(rules, handed ? { ...record, resumedFrom: undefined } : record)
  })
}

function conversationArgs(
  rules: ConversationRules | undefined,
  { conversation, resumedFrom }: Conversing,
): readonly string[] {
  if (!rules || !conversation) return []
  const { id = '' } = conversation
  return withId(resumedFrom === undefined ? rules.start : rules.resume, id)
}

/** The agent has another agent's thread as a conversation of its own, or gets it from a file. */
function handedArgs(rules: ConversationRules | undefined, { args, conversation }: HandedThread): readonly string[] {
  if (args) return args
  return rules && conversation !== undefined ? withId(rules.resume, conversation) : []
}

function withId(args: readonly string[], id: string): readonly string[] {
  return args.map((arg) => arg.replaceAll('{conversation_id}', id))
}

/** A conversation in the agent's own list. */
export interface ListedConversation {
  readonly id: string
  readonly workspacePath: string
  readonly startedAt: number
  readonly changedAt: number
}
