/** create_login */
import { z } from 'zod'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { FindPageAddress, LoginCodes } from './login-code.ts'

export function createLoginProvider(options: {
  readonly create: LoginCodes['create']
  readonly addressOf: FindPageAddress
}): Provider {
  const { create, addressOf } = options
  const tool = defineTool({
    name: 'create_login',
    description:
      'Creates a link that logs one other device in, such as a phone: once, within five minutes. The device gets a human token of its own, which list_tokens shows as "phone login". Only this result shows the link.',
    input: z.strictObject({
      session: z.string().min(1).max(200).optional().describe('The session to show. Default: the list of sessions.'),
    }),
    output: z.object({ login_url: z.string(), expires_at: z.string() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    answersOnce: true,
    async run({ session }, { caller }) {
      const address = await addressOf(session)
      const { code, expiresAt } = await create(caller.tokenId)
      // Browsers never send the fragment to a server.
      return { login_url: `${address}#code=${code}`, expires_at: expiresAt }
    },
  })
  return { toolset: 'admin', tools: () => [tool] }
}
