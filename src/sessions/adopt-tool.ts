/** adopt_session, release_session */
import { z } from 'zod'
import { sessionNameSchema, sessionSchema } from '../api/session.ts'
import type { TmuxServer } from '../drivers/drivers.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { nameArgument, programText, templateArgument } from './arguments.ts'
import type { Sessions } from './session.ts'

export function createAdoptTools(sessions: Sessions): readonly Tool[] {
  const adopt = defineTool({
    name: 'adopt_session',
    description:
      'Adopts a program that already runs in tmux. The hub lists, shows, records and steers it like any other session, and "tmux attach" keeps working. kill_session ends its program too.',
    input: z.strictObject({
      target: z
        .string()
        .min(1)
        .max(200)
        .describe('A tmux session, window or pane, by its full name: work, work:1, work:1.2'),
      name: sessionNameSchema.optional().describe('Default: the name in tmux.'),
      template: templateArgument.optional().describe('What runs there, as in list_templates. Default: shell.'),
      tmux_socket: programText(100)
        .min(1)
        .optional()
        .describe('The tmux server: a name, as for tmux -L, or an absolute path, as for tmux -S.'),
    }),
    output: sessionSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ tmux_socket: socket, ...asked }) =>
      sessions.describe(
        await sessions.adopt({ ...asked, server: socket === undefined ? undefined : toServer(socket) }),
      ),
  })
  const release = defineTool({
    name: 'release_session',
    description:
      'Releases a session in tmux: its program keeps running there, and the session ends. Its agent’s token is revoked. The opposite of adopt_session.',
    input: z.strictObject({ name: nameArgument }),
    output: sessionSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ name }) => sessions.describe(await sessions.release(await sessions.find(name))),
  })
  return [adopt, release]
}

function toServer(socket: string): TmuxServer {
  return { flag: socket.startsWith('/') ? '-S' : '-L', value: socket }
}
