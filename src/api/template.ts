/** How a kind of session is started: the contents of a template file. */
import { z } from 'zod'
import { sessionNameSchema, sizeSchema } from './session.ts'
import { socketNameSchema } from './socket-name.ts'
import { terminalToolNames } from './terminal-tools.ts'

/** A path that stays inside the folder it is meant for. */
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

/** A file of the session's own, outside its workspace; `{…}` in it is filled in as in arguments. */
const sessionFileSchema = z
  .strictObject({
    path: innerPathSchema.describe('Relative to {session_dir}.'),
    json: z.unknown().optional(),
    text: z.string().optional(),
  })
  .refine(({ json, text }) => (json === undefined) !== (text === undefined), 'give it either "json" or "text"')

const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable is letters, digits and underscores, such as "LOG_LEVEL"')

/** When a prompt may be typed: the pattern is on the screen, and nothing was printed for a moment; or time has passed. */
const promptSchema = z.strictObject({
  ready: z.string().optional().describe('A regular expression (RE2) that the screen shows once a prompt can be typed.'),
  quiet_ms: z.int().min(0).max(60_000).default(300),
  fallback_ms: z.int().min(0).max(300_000).default(10_000).describe('Typed after so long in any case.'),
  taken: z
    .string()
    .optional()
    .describe('A regular expression that the screen matches only while the agent works on it.'),
  emptied: z
    .string()
    .optional()
    .describe('A regular expression for the empty input: it was taken, if it had been seen there before.'),
  pasted: z.string().optional().describe('A regular expression for what is shown in place of a long text.'),
})

/** A question that the program asks before it is ready, such as whether the folder is trusted. */
const questionSchema = z.strictObject({
  shows: z.string().describe('A regular expression that the screen matches.'),
  keys: z.string().describe('As for send_keys.'),
})

export const templateSchema = z.strictObject({
  name: sessionNameSchema,
  label: z.string().optional(),
  description: z.string().optional(),
  command: z.string().default('').describe('Empty: the login shell. Without args a shell line, with args a program.'),
  args: z.array(z.string()).optional(),
  session_type: z.enum(['long_running', 'one_off']).default('long_running'),
  working_dir: z.string().optional(),
  env: z.record(variableNameSchema, z.string()).default({}),
  env_keys: z.array(variableNameSchema).default([]).describe('Variables of the hub’s environment that are passed on.'),
  include_files: z.array(includeFileSchema).default([]).describe('Copied into the workspace; never over a file.'),
  session_files: z.array(sessionFileSchema).default([]),
  hidden: z.boolean().default(false),
  driver: z.enum(['pty']).default('pty'),
  backend: z.enum(['holder', 'tmux']).default('holder'),
  prefix: z.array(z.string()).default([]).describe('A program that runs the command, such as bwrap and its arguments.'),
  size: sizeSchema.optional(),
  terminal_tools: z.array(z.enum(terminalToolNames)).default([]),
  mcp_socket: socketNameSchema.optional(),
  connectors: z.array(z.string()).default([]),
  policy: z.string().optional(),
  prompt: promptSchema.prefault({}),
  questions: z.array(questionSchema).default([]),
  activity: z.string().optional().describe('The name of the rules that tell what it is doing from its screen.'),
  requires: z
    .string()
    .optional()
    .describe('The program that must be installed; without it, the first word of command.'),
  install: z.string().optional().describe('How to install what it needs.'),
})
export type Template = z.output<typeof templateSchema>
