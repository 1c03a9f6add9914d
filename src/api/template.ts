/** How to start a kind of session: the content of a template file. */
import { z } from 'zod'
import { withoutControls } from '../base/without-controls.ts'
import type { SessionMode } from './session.ts'
import { sandboxChoiceSchema } from './sandbox.ts'
import { sessionModes, sessionNameSchema, sizeSchema } from './session.ts'
import { socketNameSchema } from './socket-name.ts'
import { terminalToolNames } from './terminal-tools.ts'

/** A relative path that stays inside its folder. */
const innerPathSchema = z
  .string()
  .refine(
    (path) => !/^[/~]|[\\\0]/.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part)),
    'write a relative path that stays inside its folder, such as "docs/NOTES.md"',
  )

const includeFileSchema = z.union(
  [innerPathSchema, z.strictObject({ source: innerPathSchema, target: innerPathSchema })],
  'write a relative path that stays inside its folder, such as "docs/NOTES.md", or {"source": "notes.md", "target": "docs/NOTES.md"}',
)

/** A file of the session outside its workspace. `{…}` in it is filled in as in arguments. */
const sessionFileSchema = z
  .strictObject({
    path: innerPathSchema.describe('Relative to {session_dir}.'),
    json: z.unknown().optional(),
    text: z.string().optional(),
  })
  .refine(({ json, text }) => (json === undefined) !== (text === undefined), 'give either "json" or "text"')

const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name has letters, digits and underscores, such as "LOG_LEVEL"')

/** The Matrix room that the chat of its sessions is bridged to. */
const matrixRoomSchema = z.strictObject({
  homeserver: z.string().describe('The base URL of its client-server API.'),
  room: z
    .string()
    .max(255)
    .regex(
      /^[!#]\S+$/,
      'write the id of a room, such as "!abc:example.org", or its alias, such as "#agents:example.org"',
    ),
  token_env: variableNameSchema.describe('The variable of the hub’s environment that holds the access token.'),
  users: z
    .array(
      z
        .string()
        .max(255)
        .regex(/^@\S+:\S+$/, 'write the id of a user, such as "@alice:example.org"'),
    )
    .max(100)
    .default([])
    .describe('The users who may speak. Default: the one who has invited the account of the access token.'),
})
export type MatrixRoom = z.output<typeof matrixRoomSchema>

/** When a prompt may be typed: the pattern is on the screen, and there was no output for a moment. */
const promptSchema = z.strictObject({
  ready: z.string().optional().describe('A regular expression (RE2) that the screen shows once a prompt can be typed.'),
  quiet_ms: z.int().min(0).max(60_000).default(300),
  fallback_ms: z
    .int()
    .min(0)
    .max(300_000)
    .default(10_000)
    .describe('How long to wait. Then, without a pattern, the prompt is typed; with one it is not delivered.'),
  taken: z
    .string()
    .optional()
    .describe('A regular expression that the screen matches only while the agent works on the prompt.'),
  emptied: z
    .string()
    .optional()
    .describe('A regular expression for the empty input. After the prompt was seen there, it means: taken.'),
  pasted: z.string().optional().describe('A regular expression for the placeholder that replaces a long text.'),
})

/** A question that the program asks before it is ready, such as whether the folder is trusted. */
const questionSchema = z.strictObject({
  shows: z.string().describe('A regular expression that the screen matches.'),
  keys: z.string().describe('As for send_keys.'),
})

/** How to start a conversation with an agent, and how to continue it in a later session. */
const conversationSchema = z.strictObject({
  start: z
    .array(z.string())
    .default([])
    .describe('Arguments for a new one. {conversation_id} is a UUID that the hub chooses and stores.'),
  resume: z
    .array(z.string())
    .describe('Arguments that continue {conversation_id}. None if the hub itself keeps the conversation.'),
  listed_by: z
    .enum(['codex', 'opencode'])
    .optional()
    .describe('If the hub cannot choose the id: the agent whose own list of conversations has it.'),
  kept_by: z
    .enum(['claude', 'gemini'])
    .optional()
    .describe('If the hub chooses the id: the agent whose own files show whether the conversation exists.'),
  chosen_by: z
    .array(z.string())
    .default([])
    .describe('Arguments by which a person chooses a conversation. The hub then adds none of its own.'),
  ready: z.string().optional().describe('As in prompt, for a continued conversation.'),
  taken: z.string().optional().describe('As in prompt, if the old conversation would match that one.'),
})
export type ConversationRules = z.output<typeof conversationSchema>

/** Placeholders for several arguments or none. Each works only as an argument of its own. */
export const argumentLists = { conversation: '{conversation}', agentArgs: '{agent_args}' } as const

/** The agents whose hooks and records the hub understands. */
export const agentNames = ['claude', 'codex', 'gemini', 'opencode'] as const
export type AgentName = (typeof agentNames)[number]

/** For the driver `model`. */
export const modelTemplateSchema = z.strictObject({
  name: z.string().min(1).optional().describe('As SIGNALBOX_MODEL, which it replaces, such as "openai/gpt-5.1".'),
  instructions: z.string().min(1).optional().describe('What the agent is told about its work.'),
  limits: z
    .strictObject({
      steps: z.int().min(1).default(200).describe('How often a turn may call the model.'),
      minutes: z.number().positive().max(10_000).default(120).describe('How long a turn may take.'),
      tokens: z.int().min(1).default(10_000_000).describe('How many tokens a turn may use, read and written.'),
    })
    .prefault({}),
})
export type ModelTemplate = z.output<typeof modelTemplateSchema>

/** The settings that replace the template's own in another mode. Variables are added. */
const modeSchema = z.strictObject({
  driver: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(variableNameSchema, z.string()).optional(),
  session_files: z.array(sessionFileSchema).optional(),
  conversation: conversationSchema.optional(),
})

/** A prompt that agents are offered over MCP. */
const templatePromptSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, 'a name has lowercase letters, digits and underscores, such as "review"'),
  description: z.string().overwrite(withoutControls),
  arguments: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'a name has lowercase letters, digits and underscores'),
        description: z.string().overwrite(withoutControls).optional(),
        required: z.boolean().default(false),
      }),
    )
    .default([]),
  text: z.string().min(1).describe('{name} is replaced by the argument of that name.'),
})
export type TemplatePrompt = z.output<typeof templatePromptSchema>

export const templateSchema = z.strictObject({
  name: sessionNameSchema,
  label: z.string().overwrite(withoutControls).optional(),
  description: z.string().overwrite(withoutControls).optional(),
  command: z
    .string()
    .default('')
    .describe('Empty: the login shell. Without args a shell command line, with args a program.'),
  args: z.array(z.string()).optional().describe('{agent_args} stands for the extra flags of one session.'),
  session_type: z.enum(['long_running', 'one_off']).default('long_running'),
  working_dir: z.string().optional(),
  env: z.record(variableNameSchema, z.string()).default({}),
  env_keys: z.array(variableNameSchema).default([]).describe('Variables of the hub’s environment to pass on.'),
  include_files: z.array(includeFileSchema).default([]).describe('Copied into the workspace; never overwrites a file.'),
  session_files: z.array(sessionFileSchema).default([]),
  worktree_setup: z.string().min(1).optional().describe('A shell line that runs in a new git worktree.'),
  worktree_teardown: z
    .string()
    .min(1)
    .optional()
    .describe('A shell line that runs in a worktree before it is removed.'),
  hidden: z.boolean().default(false),
  driver: z.string().default('pty'),
  mode: z.enum(sessionModes).default('terminal').describe('Of a session that does not ask for another.'),
  modes: z
    .partialRecord(z.enum(sessionModes), modeSchema)
    .default({})
    .describe('The other modes it can run in, and what differs there.'),
  agent: z.enum(agentNames).optional().describe('The agent it runs, if the hub can read what that agent records.'),
  model: modelTemplateSchema.optional().describe('Of the built-in agent: its model, instructions and limits.'),
  own_tools: z
    .enum(['preferred', 'required'])
    .default('preferred')
    .describe('required: the agent does not run unless the policy covers the tools built into it.'),
  backend: z.enum(['holder', 'tmux']).default('holder'),
  prefix: z.array(z.string()).default([]).describe('A program that runs the command, such as bwrap and its arguments.'),
  sandbox: sandboxChoiceSchema.optional().describe('What its program may see and reach. Default: everything.'),
  size: sizeSchema.optional(),
  terminal_tools: z.array(z.enum(terminalToolNames)).default([]),
  mcp_socket: socketNameSchema.optional(),
  connectors: z.array(z.string()).default([]),
  repositories: z.array(z.string()).default([]).describe('Names of repositories that the agent may search and read.'),
  policy: z.string().optional(),
  chat: z.strictObject({ matrix: matrixRoomSchema.optional() }).optional(),
  prompt: promptSchema.prefault({}),
  prompts: z
    .array(templatePromptSchema)
    .default([])
    .describe('Prompts that the agents of all sessions are offered, as sessions_<template>_<name>.'),
  connects: z
    .boolean()
    .default(false)
    .describe('Its agent connects to {mcp_url} when it starts. A prompt waits for that, up to ten seconds.'),
  questions: z.array(questionSchema).default([]),
  conversation: conversationSchema.optional().describe('Its arguments replace {conversation} in args.'),
  activity: z.string().optional().describe('The name of the rules that derive its activity from its screen.'),
  requires: z.string().optional().describe('The program that must be installed. Default: the first word of command.'),
  install: z.string().optional().describe('How to install it.'),
})
export type Template = z.output<typeof templateSchema>

/** The template as it is in a mode. Never throws: `hasMode` says whether there is such a mode. */
export function inMode(template: Template, mode: SessionMode): Template {
  const { driver, args, env, session_files, conversation } = template.modes[mode] ?? {}
  return {
    ...template,
    ...(driver !== undefined && { driver }),
    ...(args && { args }),
    ...(env && { env: { ...template.env, ...env } }),
    ...(session_files && { session_files }),
    ...(conversation && { conversation }),
  }
}

/** A template in a terminal needs no entry for that mode. */
export function modesOf({ driver, mode, modes }: Template): readonly SessionMode[] {
  const own: readonly SessionMode[] = driver === 'pty' ? ['terminal'] : []
  return sessionModes.filter((one) => one === mode || one in modes || own.includes(one))
}

export interface FoundTemplate {
  readonly template: Template
  /** `shipped`, or the path of its file. */
  readonly source: string
}

export interface AvailableTemplate extends FoundTemplate {
  /** Its sandbox is that of a shipped template: a person who copies a template has not named one. */
  readonly isSandboxShipped: boolean
  readonly available: boolean
  /** The missing part, and how to get it. */
  readonly whyNot?: string | undefined
}
