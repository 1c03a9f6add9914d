/** list_sessions, get_session, get_session_url, wait_session, tail_log, export_recording */
import { z } from 'zod'
import { activityKinds, sessionSchema, sessionStatuses } from '../api/session.ts'
import { waitInput, waitOutputSchema } from '../api/wait.ts'
import { HubError } from '../base/hub-error.ts'
import { toShellLine } from '../base/shell-line.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { nameArgument } from './arguments.ts'
import { limitArgument } from './cursor.ts'
import { tailLog, terminalOf } from './session-output.ts'
import { readSessionPage, sessionCursorArgument } from './session-page.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'
import type { Waiting } from './wait.ts'
import { waitForSession } from './wait.ts'

const readOnly = { readOnlyHint: true, openWorldHint: false } as const

export function createReadingTools({ sessions, wait, checkWait }: Waiting & { sessions: Sessions }): readonly Tool[] {
  return [
    defineTool({
      name: 'list_sessions',
      description:
        'The sessions: those that wait for a person first, then the newest. Shows the command, status and activity of each.',
      input: z.strictObject({
        status: z.enum(sessionStatuses).optional(),
        activity: z.enum(activityKinds).optional(),
        label: z.string().optional(),
        cursor: sessionCursorArgument.optional(),
        limit: limitArgument,
      }),
      output: z.object({ sessions: z.array(sessionSchema), next_cursor: z.string().optional() }),
      annotations: readOnly,
      async run({ status, activity, label, cursor, limit }) {
        const isAskedFor = (record: SessionRecord) =>
          (activity === undefined || sessions.activityOf(record).is === activity) &&
          (label === undefined || record.labels.includes(label))
        const page = await readSessionPage(sessions, { status, cursor, limit, isAskedFor })
        return { sessions: page.records.map((record) => sessions.describe(record)), ...page.cursor }
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
      description: 'The link where a person follows a session live. It contains no token: the person has to log in.',
      input: z.strictObject({ name: nameArgument }),
      output: z.object({ session_url: z.string() }),
      annotations: readOnly,
      run: async ({ name }) => ({ session_url: sessions.describe(await sessions.find(name)).session_url }),
    }),
    defineTool({
      name: 'wait_session',
      description:
        'Blocks until a session shows a text or matches a regular expression, is idle, waits for a person, or exits. Also waits for queued jobs. Returns the screen.',
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
        'The last lines a session printed, as text. With raw, exactly as its program wrote them, with escape codes, at most 1 MiB. Invalid UTF-8 is replaced; read_output has every byte.',
      input: z.strictObject({
        name: nameArgument,
        lines: z.int().min(1).max(10_000).default(200),
        raw: z.boolean().default(false),
      }),
      output: z.object({
        log: z.string(),
        lines: z.int(),
        offset: z.int().describe('Of the next byte.'),
      }),
      annotations: readOnly,
      run: async ({ name, lines, raw }) => tailLog(sessions, await sessions.find(name), lines, raw),
    }),
    defineTool({
      name: 'export_recording',
      description: 'Writes the output of a session as an asciicast (v3) for asciinema, beside its journal.',
      input: z.strictObject({ name: nameArgument }),
      output: z.object({ path: z.string(), bytes: z.int() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run({ name }) {
        const record = await sessions.find(name)
        if (!record.terminalSettings.modules.recording) {
          throw new HubError(
            'unavailable',
            'The recording module of this session is off. Switch it on with toggle_module.',
          )
        }
        const { name: title, recording_path: path } = sessions.describe(record)
        const command = record.args === undefined ? record.command : toShellLine([record.command, ...record.args])
        return (await terminalOf(sessions, record)).exportRecording(path, { title, command })
      },
    }),
  ]
}
