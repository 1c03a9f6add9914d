/** run_action, list_routes, set_routes */
import { z } from 'zod'
import { actionInputSchema, actionName } from '../api/action.ts'
import { routeSchema, waysSchema } from '../api/route.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { CallToolResult, Provider } from '../mcp/mcp.ts'
import { defineTool, structured, toolError } from '../mcp/mcp.ts'
import { toSetting } from './action-settings.ts'
import type { ActionOutcome, Routes } from './route.ts'

const runArguments = z
  .strictObject({
    action: actionName,
    input: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .describe('A text, or the fields of the action: question, query, instructions, code, path, language, framework.'),
    session: z.string().min(1).max(200).optional().describe('Ask the agent of this session, and nothing else.'),
    role: z.string().min(1).max(40).optional().describe('Ask only ways with this role.'),
  })
  .superRefine(({ action, input }, context) => {
    const { error } = actionInputSchema(action).safeParse(fieldsOf(input), { error: plainIssue })
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: ['input', ...issue.path] })
  })

export function createRouteProvider(routes: Pick<Routes, 'run' | 'list' | 'set'>): Provider {
  const tools = [
    defineTool({
      name: 'run_action',
      description:
        'Has an action done by the first of its ways that is up: a model, a tool of a connector, or the agent of a session. The result says who did it.',
      input: runArguments,
      output: z.object({ outcome: z.custom<ActionOutcome>(), correlation: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      present: ({ outcome, correlation }) => present(outcome, correlation),
      async run({ action, input, session, role }, call) {
        const { correlation, event, signal } = call
        const place = { correlation, ...(event !== undefined && { parent: event }) }
        const fields = actionInputSchema(action).parse(fieldsOf(input)) as Readonly<Record<string, string>>
        const progress = (step: Parameters<typeof call.progress>[0]) => call.progress(step)
        const outcome = await routes.run(action, fields, place, signal, { session, role, progress })
        return { outcome, correlation }
      },
    }),
    defineTool({
      name: 'list_routes',
      description: 'The ways of each action of run_action, in the order in which they are tried.',
      input: z.strictObject({ action: actionName.optional() }),
      output: z.object({ routes: z.array(routeSchema) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ action }) {
        const routesOfAll = await routes.list()
        return { routes: routesOfAll.filter((route) => action === undefined || route.action === action) }
      },
    }),
    defineTool({
      name: 'set_routes',
      description: 'Sets the ways of an action: models, tools of connectors, sessions. It wins over config.yaml.',
      input: z.strictObject({
        action: actionName,
        ways: waysSchema.nullable().describe('null: as in config.yaml, or else the default.'),
        safe_to_repeat: z
          .boolean()
          .optional()
          .describe('If a way has the input but fails, ask the next one. By default not for refactor_apply.'),
      }),
      output: routeSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      run: ({ action, ways, safe_to_repeat: isSafe }) =>
        routes.set(action, ways === null ? undefined : toSetting(action, ways, isSafe)),
    }),
  ]
  return { toolset: 'agents', tools: () => tools }
}

function fieldsOf(input: string | Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof input === 'string' ? { text: input } : input
}

export function present(outcome: ActionOutcome, correlation: string): CallToolResult {
  const { route, session_id: session, thread_id: thread } = outcome
  const _meta = {
    'io.signalbox/route': route,
    ...(session !== undefined && { 'io.signalbox/session': session }),
    ...(thread !== undefined && { 'io.signalbox/thread': thread }),
    'io.signalbox/correlation': correlation,
  }
  if (outcome.is === 'answered') {
    const { is: _, ...result } = outcome
    return { ...structured({ ...result }), _meta }
  }
  const { action, reason, tried } = outcome
  const failed = toolError(`${action} failed. ${route}: ${reason}`)
  return { ...failed, _meta: { ..._meta, 'io.signalbox/tried': tried } }
}
