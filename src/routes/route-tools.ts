/** run_action, list_routes, set_routes */
import { z } from 'zod'
import { actionInputSchema, actionName } from '../api/action.ts'
import type { ActionResult } from '../api/route.ts'
import { actionResultSchema, routeSchema, waysSchema } from '../api/route.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { Call, Meta, Provider } from '../mcp/mcp.ts'
import { defineTool, ToolFailure } from '../mcp/mcp.ts'
import { toSetting } from './action-settings.ts'
import type { Routes } from './route.ts'

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
      output: actionResultSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      meta: metaOf,
      async run({ action, input, session, role }, call) {
        const { correlation, event, signal } = call
        const place = { correlation, ...(event !== undefined && { parent: event }) }
        const fields = actionInputSchema(action).parse(fieldsOf(input)) as Readonly<Record<string, string>>
        const progress = (step: Parameters<typeof call.progress>[0]) => call.progress(step)
        const outcome = await routes.run(action, fields, place, signal, { session, role, progress })
        if (outcome.is === 'answered') return outcome.result
        const meta = { ...metaOf(outcome, call), 'io.signalbox/tried': outcome.tried }
        throw new ToolFailure(`${action} failed. ${outcome.route}: ${outcome.reason}`, meta)
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

type Answerer = Pick<ActionResult, 'route' | 'session_id' | 'thread_id'>

function metaOf({ route, session_id: session, thread_id: thread }: Answerer, { correlation }: Call): Meta {
  return {
    'io.signalbox/route': route,
    ...(session !== undefined && { 'io.signalbox/session': session }),
    ...(thread !== undefined && { 'io.signalbox/thread': thread }),
    'io.signalbox/correlation': correlation,
  }
}
