/** list_sessions, get_session, get_session_url, wait_session, tail_log, export_recording */
import { z } from 'zod'
import { activityKinds, sessionSchema, sessionStatuses } from '../api/session.ts'
import { waitInput, waitOutputSchema } from '../api/wait.ts'
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { nameArgument } from './arguments.ts'
import { cursorArgument, limitArgument, toPage } from './cursor.ts'
import type { SessionPlace, SessionRecord } from './session-store.ts'
import type { Sessions } from './sessions.ts'
import { tailLog } from './tail-log.ts'
import type { Waiting } from './wait.ts'
import { waitForSession } from './wait.ts'

const readOnly = { readOnlyHint: true, openWorldHint: false } as const

export function createReadingTools({ sessions, wait, checkWait }: Waiting & { sessions: Sessions }): readonly Tool[] {
  return [
    defineTool({
      name: 'list_sessions',
      description: 'The sessions, newest first: what runs in each, where it is in its life, and what it is doing now.',
      input: z.strictObject({
        status: z.enum(sessionStatuses).optional(),
        activity: z.enum(activityKinds).optional(),
        label: z.string().optional(),
        cursor: cursorArgument.optional(),
        limit: limitArgument,
      }),
      output: z.object({ sessions: z.array(sessionSchema), next_cursor: z.string().optional() }),
      annotations: readOnly,
      async run({ status, activity, label, cursor, limit }) {
        const isAskedFor = (record: SessionRecord) =>
          (activity === undefined || sessions.activityOf(record).is === activity) &&
          (label === undefined || record.labels.includes(label))
        const found: SessionRecord[] = []
        let after: SessionPlace | undefined = cursor
        for (;;) {
          const page = await sessions.list({ status, after, limit: limit + 1 })
          found.push(...page.filter(isAskedFor))
          after = page.at(-1)
          if (found.length > limit || page.length <= limit) break
        }
        const page = toPage(found, limit)
        return { sessions: page.items.map((record) => sessions.describe(record)), ...page.cursor }
      },
    }),
    defineTool({
      name: 'get_session',
      description: 'One session: command, status, activity, workspace, size, exit code, link.',
      input: z.strictObject({ name: nameArgument }),
      output: sessionSchema,
      annotations: readOnly,
      run: async ({ name }) => sessions.describe(await sessions.find(name)),
    }),
    defineTool({
      name: 'get_session_url',
      description:
        'The link under which a person follows a session live. It carries no token: whoever opens it logs in.',
      input: z.strictObject({ name: nameArgument }),
      output: z.object({ session_url: z.string() }),
      annotations: readOnly,
      run: async ({ name }) => ({ session_url: sessions.describe(await sessions.find(name)).session_url }),
    }),
    defineTool({
      name: 'wait_session',
      description:
        'Blocks until a session shows a text or matches a regular expression, is idle, waits for a person, or exits. A job that is queued is waited for. Answers with its screen.',
      input: z.strictObject({
        name: nameArgument,
        ...waitInput,
      }),
      output: waitOutputSchema,
      annotations: readOnly,
      run: async ({ name, ...condition }, call) =>
        waitForSession({ sessions, wait, checkWait }, await sessions.find(name), condition, call),
    }),
    defineTool({
      name: 'tail_log',
      description:
        'The last lines a session printed, as text; with raw, as its program wrote them, escape codes, line ends and all, at most 1 MiB. What is no UTF-8 is replaced; read_output has every byte.',
      input: z.strictObject({
        name: nameArgument,
        lines: z.int().min(1).max(10_000).default(200),
        raw: z.boolean().default(false),
      }),
      output: z.object({
        log: z.string(),
        lines: z.int(),
        offset: z.int().describe('Where the next byte will stand.'),
      }),
      annotations: readOnly,
      run: async ({ name, lines, raw }) => tailLog(await terminalNamed(sessions, name), lines, raw),
    }),
    defineTool({
      name: 'export_recording',
      description: 'Writes what a session printed as an asciicast (v3) that asciinema plays, beside its journal.',
      input: z.strictObject({ name: nameArgument }),
      output: z.object({ path: z.string(), bytes: z.int() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run({ name }) {
        const record = await sessions.find(name)
        if (!record.terminalSettings.modules.recording) {
          throw new HubError(
            'unavailable',
            'The recording module of this session is off; toggle_module switches it on.',
          )
        }
        const terminal = await sessions.terminalOf(record)
        return terminal.exportRecording(sessions.describe(record).recording_path)
      },
    }),
  ]
}

async function terminalNamed(sessions: Sessions, name: string) {
  return sessions.terminalOf(await sessions.find(name))
}
