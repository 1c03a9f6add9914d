/** list_jobs, enqueue_one_off, cancel_job */
import { z } from 'zod'
import { jobSchema, jobStatuses } from '../api/job.ts'
import { sessionNameSchema, sessionSchema } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import {
  agentArgsArgument,
  descriptionArgument,
  given,
  programText,
  promptArgument,
  templateArgument,
} from './arguments.ts'
import { cursorArgument, limitArgument } from './cursor.ts'
import type { Sessions } from './session.ts'

export function createJobTools(sessions: Sessions): readonly Tool[] {
  return [
    defineTool({
      name: 'list_jobs',
      description: 'One-off commands and agents: queued, running and ended, newest first.',
      input: z.strictObject({
        status: z.enum(jobStatuses).optional(),
        cursor: cursorArgument.optional(),
        limit: limitArgument,
      }),
      output: z.object({ jobs: z.array(jobSchema), next_cursor: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ status, cursor: after, limit }) {
        const { jobs, cursor } = await sessions.jobs.list({ status, after, limit })
        return { jobs: [...jobs], ...cursor }
      },
    }),
    defineTool({
      name: 'enqueue_one_off',
      description:
        'Queues a command, or an agent with a prompt, that runs in its turn. Its output, exit code and times are kept. An agent keeps its place until it ends.',
      input: z.strictObject({
        name: sessionNameSchema,
        command: programText(100_000).optional().describe('A shell command line. Without it, the template’s.'),
        template: templateArgument.optional().describe('Default: script for a command, else the hub’s default agent.'),
        prompt: promptArgument.optional(),
        agent_args: agentArgsArgument.optional(),
        working_dir: programText(4_000).optional().describe('An absolute path. Default: as for create_session.'),
        description: descriptionArgument.optional(),
        priority: z.int().min(-1_000).max(1_000).default(0).describe('Higher goes first.'),
      }),
      output: sessionSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      async run({ name, description, priority, agent_args: agentArgs, ...asked }, call) {
        const command = given(asked.command)
        const prompt = given(asked.prompt)
        const template = given(asked.template) ?? (command === undefined ? undefined : 'script')
        if (command === undefined && template === undefined && prompt === undefined) {
          throw new HubError(
            'invalid',
            '"command": write a shell line, or give the "template" of an agent, a "prompt" or both.',
          )
        }
        const workingDir = given(asked.working_dir)
        const spec = { name, description, command, template, prompt, agentArgs, workingDir, from: call }
        return sessions.describe(await sessions.enqueue(spec, priority))
      },
    }),
    defineTool({
      name: 'cancel_job',
      description: 'Ends a job: a queued one never starts, a running one is killed, an ended one stays as it is.',
      input: z.strictObject({ id: z.string().describe('As in list_jobs.') }),
      output: jobSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run({ id }) {
        const record = await sessions.jobs.find(id)
        return sessions.jobs.describe(await sessions.kill(record, { remove: false }))
      },
    }),
  ]
}
