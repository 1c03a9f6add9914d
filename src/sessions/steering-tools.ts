/** create_session, send_input, update_session, kill_session */
import { z } from 'zod'
import { connectorUse, legacyMcps } from '../api/connector.ts'
import { sessionNameSchema, sessionSchema, sizeSchema } from '../api/session.ts'
import { socketNameSchema } from '../api/socket-name.ts'
import { terminalToolNames } from '../api/terminal-tools.ts'
import { waitInputSchema } from '../api/wait.ts'
import type { Principal } from '../base/principal.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { descriptionArgument, nameArgument, programText, templateArgument } from './arguments.ts'
import type { Sessions } from './sessions.ts'
import { untilWorking } from './until-working.ts'
import type { Waiting } from './wait.ts'

const toolsArgument = z
  .array(z.string().refine(isToolName, `the terminal tools are all, ${terminalToolNames.join(', ')}`))
  .max(100)
  .describe('The terminal tools its agent may use of its own terminal, or ["all"].')
  .transform(toToolNames)
const labelsArgument = z.array(z.string().min(1).max(100)).max(50)

const policyArgument = z
  .string()
  .max(256 * 1024)
  .describe('YAML: rules for this session alone, beside those of the hub and the template.')

const envArgument = z
  .record(z.string(), programText(100_000))
  .refine(
    (env) => Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
    'a variable is letters, digits and underscores, such as "LOG_LEVEL"',
  )
  .describe('For the program; kept nowhere.')

const createdSchema = sessionSchema.extend({
  prompt: z.object({ delivered: z.boolean(), reason: z.string().optional() }).optional(),
  met: z.boolean().optional().describe('After a wait: whether what was waited for came.'),
  screen: z.string().optional().describe('After a wait.'),
})

export interface SteeringOptions extends Waiting {
  readonly sessions: Sessions
  readonly setPolicy: (session: string, source: string, by: Principal) => Promise<void>
}

export function createSteeringTools({ sessions, wait, checkWait, setPolicy }: SteeringOptions): readonly Tool[] {
  return [
    defineTool({
      name: 'create_session',
      description:
        'Starts an agent or a command in a terminal of its own and, if wanted, types a prompt and waits. list_templates shows what can be started. Everything but the name may be left out.',
      input: z.strictObject({
        name: sessionNameSchema,
        template: templateArgument.optional().describe('As in list_templates; shell for a command of your own.'),
        prompt: z.string().max(1_000_000).optional().describe('Typed in when the program is ready, then Enter.'),
        command: programText(100_000)
          .optional()
          .describe('A line for the shell; with args, a program. Instead of the template’s.'),
        args: z.array(programText(100_000)).max(1_000).optional(),
        working_dir: programText(4_000).optional().describe('An absolute path; without it a new directory.'),
        worktree: z.boolean().optional().describe('Work in a new git worktree of working_dir.'),
        env: envArgument.optional(),
        description: descriptionArgument.optional(),
        size: sizeSchema.optional(),
        tools: toolsArgument.optional(),
        labels: labelsArgument.optional(),
        mcp_socket: socketNameSchema.optional().describe('Names its unix socket.'),
        connectors: z.array(connectorUse).max(100).optional().describe('By name; instead of the template’s.'),
        mcps: legacyMcps.optional().describe('The older form: {targets: [{id, transport, cmd, args, env_keys}]}.'),
        policy: policyArgument.optional(),
        wait: waitInputSchema
          .omit({ since: true })
          .optional()
          .describe('Answer only when this has come, with the screen.'),
      }),
      output: createdSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      unrecorded: ['env'],
      async run({ prompt: text, command, working_dir, mcp_socket, wait: condition, ...asked }, call) {
        const spec = {
          ...asked,
          prompt: given(text),
          command: given(command),
          workingDir: given(working_dir),
          socketName: mcp_socket,
          by: call.caller.label ?? `token ${call.caller.tokenId}`,
        }
        // Before anything is made: who is told of a mistake would not know that it runs.
        if (condition) await checkWait(condition)
        const { record, prompt } = await sessions.create(spec, call.signal)
        if (!condition) return { ...sessions.describe(record), ...(prompt && { prompt }) }
        if (prompt && condition.for === 'idle') await untilWorking(sessions.activityView(record.id), call.signal)
        const { met, screen } = await wait(record.id, { ...condition, since: 0 }, call)
        const latest = await sessions.find(record.id)
        return { ...sessions.describe(latest), ...(prompt && { prompt }), met, screen }
      },
    }),
    defineTool({
      name: 'send_input',
      description: 'Types a text into a session as it is, and then presses Enter unless told not to.',
      input: z.strictObject({
        name: nameArgument,
        text: z.string().max(1_000_000),
        enter: z.union([z.boolean(), z.string()]).default(true).transform(toFlag),
      }),
      output: z.object({
        ok: z.boolean(),
        bytes_written: z.int(),
        offset: z.int().describe('Of the first byte that may answer it.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      unrecorded: ['text'],
      async run({ name, text, enter }, call) {
        const { signal } = call
        const { bytes, typedAt } = await sessions.type(await sessions.find(name), text, { enter, signal })
        return { ok: true, bytes_written: bytes, offset: typedAt }
      },
    }),
    defineTool({
      name: 'update_session',
      description:
        'Changes a session while it runs: the terminal tools its agent may use, its policy, labels, description.',
      input: z.strictObject({
        name: nameArgument,
        tools: toolsArgument.optional(),
        labels: labelsArgument.optional(),
        description: descriptionArgument.optional(),
        policy: policyArgument.optional(),
      }),
      output: sessionSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run({ name, tools, labels, description, policy }, call) {
        const patch = {
          ...(tools && { terminalTools: tools }),
          ...(labels && { labels }),
          ...(description !== undefined && { description }),
        }
        const record = await sessions.find(name)
        if (policy !== undefined) await setPolicy(record.id, policy, call.caller)
        return sessions.describe(await sessions.update(record, patch))
      },
    }),
    defineTool({
      name: 'kill_session',
      description:
        'Ends a session’s program and all that runs in its terminal. With remove, its record and journal go too; its workspace never does.',
      input: z.strictObject({ name: nameArgument, remove: z.boolean().default(false) }),
      output: sessionSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      run: async ({ name, remove }) => sessions.describe(await sessions.kill(await sessions.find(name), { remove })),
    }),
  ]
}

const knownTools: readonly string[] = terminalToolNames

function isToolName(name: string): boolean {
  return name === 'all' || knownTools.includes(name)
}

function toToolNames(names: readonly string[]): readonly string[] {
  return names.includes('all') ? knownTools : knownTools.filter((name) => names.includes(name))
}

/** Clients that fill in every argument leave the text of those they do not mean empty. */
function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** Clients have been seen to send words for it. */
function toFlag(value: boolean | string): boolean {
  return typeof value === 'boolean' ? value : !/^(0|false|no|off|skip)$/i.test(value.trim())
}
