/** list_approvals, decide_approval, wait_approvals, list_grants, revoke_grant */
import { z } from 'zod'
import { approvalDecisions, approvalSchema, approvalScopes, approvalStatuses, grantSchema } from '../api/approval.ts'
import { timeoutSchema } from '../api/wait.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { ApprovalRecord } from './approval-record.ts'
import type { ApprovalProviderOptions } from './approval-resources.ts'
import { createApprovalResources } from './approval-resources.ts'
import { draftToWire, grantToWire, toPage, toWire } from './approval-wire.ts'
import { startHeartbeat } from './heartbeat.ts'

const sessionArgument = z.string().min(1).max(200).describe('Name or id; without it, of all sessions.')

const placeSchema = z
  .string()
  .regex(/^[0-9TZ:.-]+_[a-z0-9]+$/, 'pass the next_cursor of an earlier answer')
  .transform((text) => ({ requestedAt: text.slice(0, text.indexOf('_')), id: text.slice(text.indexOf('_') + 1) }))

const revisionSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'it is a number, as in cursor')
  .transform(Number)

const ruleSchema = z.strictObject({
  tool: z.string().min(1).describe('As in a policy: * stands for anything.'),
  when: z.record(z.string(), z.unknown()).optional().describe('JSON Schema on the arguments.'),
  session: z.boolean().default(false).describe('Only for the session that asked.'),
})

const draftSchema = grantSchema.omit({
  id: true,
  created_at: true,
  created_by: true,
  revoked_at: true,
  revoked_by: true,
})

const heartbeatMs = 10_000

export function createApprovalProvider({ approvals, findSession }: ApprovalProviderOptions): Provider {
  const idOf = async (session: string | undefined) =>
    session === undefined ? undefined : (await findSession(session)).id

  const tools = [
    defineTool({
      name: 'list_approvals',
      description:
        'Calls of agents that wait for a person, newest first; with "status", those that were answered. Large arguments are cut; with "id" they are whole.',
      input: z.strictObject({
        id: z.string().optional().describe('Only this one, in any status.'),
        status: z.enum([...approvalStatuses, 'all']).default('pending'),
        session: sessionArgument.optional(),
        cursor: placeSchema.optional().describe('As in next_cursor; without it, from the newest.'),
        limit: z.int().min(1).max(1_000).default(200).describe('A page may have fewer, and a next_cursor.'),
      }),
      output: z.object({ approvals: z.array(approvalSchema), next_cursor: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ id, status, session, cursor, limit }) {
        if (id !== undefined) return { approvals: [toWire(await approvals.find(id))] }
        const found = await approvals.list({
          ...(status !== 'all' && { status }),
          sessionId: await idOf(session),
          after: cursor,
          limit: limit + 1,
        })
        return toPage(found, limit)
      },
    }),
    defineTool({
      name: 'decide_approval',
      description:
        'Answers for a person: approve lets the call through once, deny lets the agent go on without it, abort ends its turn. ' +
        'With a wider scope, approve also leaves a grant; dry_run shows it first.',
      input: z.strictObject({
        id: z.string().describe('As in list_approvals.'),
        decision: z.enum(approvalDecisions),
        reason: z
          .string()
          .max(2_000)
          .refine((text) => !text.includes('\0'), 'no NUL character may be in it')
          .optional()
          .describe('The agent reads it.'),
        scope: z
          .enum(approvalScopes)
          .default('once')
          .describe('session: this tool in this session, with any arguments; rule: what "rule" says.'),
        rule: ruleSchema
          .optional()
          .describe('With scope rule; without it, this tool with these arguments, everywhere.'),
        dry_run: z.boolean().default(false).describe('Changes nothing, and shows the grant.'),
      }),
      output: approvalSchema.extend({
        would_grant: draftSchema.optional().describe('With dry_run.'),
        note: z.string().optional().describe('What else has to be done.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      async run({ id, dry_run, ...answer }, { caller }) {
        if (!dry_run) {
          const decided = await approvals.decide(id, answer, caller)
          return { ...toWire(decided), ...(decided.isAwaited === false && { note: movedOnNote(decided) }) }
        }
        const { approval, grant } = await approvals.preview(id, answer)
        return { ...toWire(approval), ...(grant && { would_grant: draftToWire(grant) }) }
      },
    }),
    defineTool({
      name: 'wait_approvals',
      description:
        'Waits until an approval changes. Without "since" until one is pending; "cursor" is the next "since", so that nothing is missed.',
      input: z.strictObject({ since: revisionSchema.optional(), timeout_ms: timeoutSchema }),
      output: z.object({ approvals: z.array(approvalSchema), cursor: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ since, timeout_ms: timeoutMs }, call) {
        using _ = startHeartbeat(call, heartbeatMs)
        const news = await approvals.wait({ since, timeoutMs, signal: call.signal })
        return { approvals: news.approvals.map(toWire), cursor: String(news.cursor) }
      },
    }),
    defineTool({
      name: 'list_grants',
      description: 'What was allowed for more than one call, newest first. A grant never beats deny or abort.',
      input: z.strictObject({
        session: sessionArgument.optional(),
        revoked: z.boolean().default(false).describe('Also revoked ones.'),
      }),
      output: z.object({ grants: z.array(grantSchema) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ session, revoked }) {
        const grants = await approvals.listGrants({ sessionId: await idOf(session), withRevoked: revoked })
        return { grants: grants.map(grantToWire) }
      },
    }),
    defineTool({
      name: 'revoke_grant',
      description: 'Takes a grant back: the next such call is asked for again.',
      input: z.strictObject({ id: z.string().describe('As in list_grants.') }),
      output: grantSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      run: async ({ id }, { caller }) => grantToWire(await approvals.revokeGrant(id, caller)),
    }),
  ]
  const { resources, resourceTemplates } = createApprovalResources({ approvals, findSession })
  return {
    toolset: 'approvals',
    tools: () => tools,
    resources: () => resources,
    resourceTemplates: () => resourceTemplates,
  }
}

/** The call is no longer held: the agent was told to repeat it later, and may have ended its turn. */
function movedOnNote({ sessionName, status }: ApprovalRecord): string {
  const note = `The agent of "${sessionName}" has moved on: it gets this answer when it makes the same call again.`
  if (status !== 'approved') return note
  return `${note} Tell it to, for example with: signalbox send ${sessionName} "approved, go on"`
}
