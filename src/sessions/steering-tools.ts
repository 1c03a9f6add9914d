/** create_session, send_input, update_session, kill_session */
import { z } from 'zod'
import { withoutControls } from '../base/without-controls.ts'
import { connectorUse, legacyMcps } from '../api/connector.ts'
import { sandboxChoiceSchema } from '../api/sandbox.ts'
import { sessionModes, sessionNameSchema, sessionSchema, sizeSchema } from '../api/session.ts'
import { socketNameSchema } from '../api/socket-name.ts'
import { terminalToolNames } from '../api/terminal-tools.ts'
import { waitInputSchema } from '../api/wait.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import {
  agentArgsArgument,
  descriptionArgument,
  given,
  nameArgument,
  programText,
  promptArgument,
  templateArgument,
} from './arguments.ts'
import type { Sessions } from './session.ts'
import { untilWorking } from './until-working.ts'
import type { Waiting } from './wait.ts'

const toolsArgument = z
  .array(z.string().refine(isToolName, `the terminal tools are all, ${terminalToolNames.join(', ')}`))
  .max(100)
  .describe('The terminal tools its agent may use on its own terminal, or ["all"].')
  .transform(toToolNames)
const labelsArgument = z.array(z.string().overwrite(withoutControls).min(1).max(100)).max(50)

const policyArgument = z
  .string()
  .max(256 * 1024)
  .describe('YAML: rules for this session only, added to those of the hub and the template.')

const envArgument = z
  .record(z.string(), programText(100_000))
  .refine(
    (env) => Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
    'a variable name has letters, digits and underscores, such as "LOG_LEVEL"',
  )
  .describe('For the program; not stored.')

const promptDeliverySchema = z.object({
  delivered: z.boolean(),
  reason: z.string().optional(),
  screen: z.string().optional().describe('If the prompt was withheld: the screen that was in the way.'),
})

export const createdSchema = sessionSchema.extend({
  prompt: promptDeliverySchema.optional(),
  met: z.boolean().optional().describe('After a wait: whether the condition was met.'),
  screen: z.string().optional().describe('After a wait.'),
})

const killedSchema = sessionSchema.extend({
  worktree: z
    .object({
      is: z.enum(['kept', 'removed']),
      path: z.string(),
      branch: z.string().optional().describe('The branch that the hub made for it.'),
      why: z.string().optional().describe('Why the worktree or its branch stays.'),
      output: z.string().optional().describe('The end of the output of its tear-down.'),
    })
    .optional()
    .describe('The git worktree that the hub made for it.'),
})
export type KilledSession = z.output<typeof killedSchema>

export interface SteeringOptions extends Waiting {
  readonly sessions: Sessions
  readonly policies: { setSessionPolicy(session: string, source: string, by: string): Promise<void> }
}

export function createSteeringTools({ sessions, wait, checkWait, policies }: SteeringOptions): readonly Tool[] {
  return [
    defineTool({
      name: 'create_session',
      description:
        'Starts an agent or a command in its own terminal and, if asked, types a prompt and waits. list_templates shows what can be started. Only the name is required.',
      input: z.strictObject({
        name: sessionNameSchema,
        template: templateArgument.optional().describe('As in list_templates; shell for any command.'),
        prompt: promptArgument.optional(),
        command: programText(100_000)
          .optional()
          .describe('A shell line; with args, a program. Replaces the template’s.'),
        args: z.array(programText(100_000)).max(1_000).optional(),
        agent_args: agentArgsArgument.optional(),
        model: programText(200).min(1).optional().describe('Of its agent.'),
        mode: z.enum(sessionModes).optional().describe('How its agent is shown. Default: as the template says.'),
        working_dir: programText(4_000).optional().describe('An absolute path. Default: a new directory.'),
        worktree: z.boolean().optional().describe('Work in a new git worktree of working_dir.'),
        env: envArgument.optional(),
        description: descriptionArgument.optional(),
        size: sizeSchema.optional(),
        tools: toolsArgument.optional(),
        labels: labelsArgument.optional(),
        mcp_socket: socketNameSchema.optional().describe('Names its unix socket.'),
        connectors: z.array(connectorUse).max(100).optional().describe('By name. Replaces the template’s.'),
        mcps: legacyMcps.optional().describe('The older form: {targets: [{id, transport, cmd, args, env_keys}]}.'),
        policy: policyArgument.optional(),
        sandbox: sandboxChoiceSchema.optional().describe('Replaces the template’s. "off": it runs unconfined.'),
        wait: waitInputSchema.omit({ since: true }).optional().describe('Answer when this is met, with the screen.'),
      }),
      output: createdSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      unrecorded: ['env'],
      async run({ prompt: text, command, agent_args, working_dir, mcp_socket, wait: condition, ...asked }, call) {
        const spec = {
          ...asked,
          prompt: given(text),
          command: given(command),
          agentArgs: agent_args,
          workingDir: given(working_dir),
          socketName: mcp_socket,
          by: call.caller.label ?? `token ${call.caller.tokenId}`,
          from: call,
        }
        // Check first: a caller who gets an error assumes that nothing was started.
        if (condition) await checkWait(condition)
        const { record, prompt } = await sessions.create(spec, call.signal)
        if (!condition) return { ...sessions.describe(record), ...(prompt && { prompt }) }
        // A prompt that was withheld cannot lead to the condition.
        if (prompt?.screen !== undefined) {
          return { ...sessions.describe(record), prompt, met: false, screen: prompt.screen }
        }
        if (prompt && condition.for === 'idle') await untilWorking(sessions.activityView(record.id), call.signal)
        const { met, screen } = await wait(record.id, { ...condition, since: 0 }, call)
        const latest = await sessions.find(record.id)
        return { ...sessions.describe(latest), ...(prompt && { prompt }), met, screen }
      },
    }),
    defineTool({
      name: 'send_input',
      description:
        'Types a text into a session unchanged, then presses Enter unless enter is false. A session that waits for a person takes only an answer: the number or the label of a choice in its menu. Enter is pressed only when the text is on the screen (or the terminal hides it, as for a password).',
      input: z.strictObject({
        name: nameArgument,
        text: z.string().max(1_000_000),
        enter: z.union([z.boolean(), z.string()]).default(true).transform(toFlag),
        force: z
          .boolean()
          .default(false)
          .describe('Type and press Enter even if it waits for a person or does not show the text.'),
      }),
      output: z.object({
        ok: z.boolean(),
        bytes_written: z.int(),
        offset: z.int().describe('Of the first byte that may answer it.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      unrecorded: ['text'],
      async run({ name, text, enter, force }, call) {
        const { signal } = call
        const { bytes, typedAt } = await sessions.type(await sessions.find(name), text, { enter, force, signal })
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
        const { label, tokenId } = call.caller
        if (policy !== undefined) await policies.setSessionPolicy(record.id, policy, label ?? `token ${tokenId}`)
        return sessions.describe(await sessions.update(record, patch))
      },
    }),
    defineTool({
      name: 'kill_session',
      description:
        'Ends a session’s program and everything in its terminal. With remove, deletes its record and journal too, and the git worktree that the hub made for it if nothing in it would be lost; never another workspace.',
      input: z.strictObject({ name: nameArgument, remove: z.boolean().default(false) }),
      output: killedSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run({ name, remove }) {
        const { worktrees } = sessions
        const session = sessions.describe(await sessions.kill(await sessions.find(name), { remove }))
        const made = await worktrees.find(session.workspace_path)
        if (!made) return session
        const { path, branch } = made
        const removal = remove ? await worktrees.remove(made) : { is: 'kept' as const }
        return { ...session, worktree: { ...removal, path, ...(branch !== undefined && { branch }) } }
      },
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

/** Some clients send a word instead of a boolean. */
function toFlag(value: boolean | string): boolean {
  return typeof value === 'boolean' ? value : !/^(0|false|no|off|skip)$/i.test(value.trim())
}
