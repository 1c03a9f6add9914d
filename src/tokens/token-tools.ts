/** issue_token, list_tokens, revoke_token */
import { z } from 'zod'
import { durationSchema, toMilliseconds } from '../api/duration.ts'
import { toolsetChoices, unknownToolsets } from '../api/toolsets.ts'
import { HubError } from '../base/hub-error.ts'
import { withoutControls } from '../base/without-controls.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { TokenRow } from './token-store.ts'
import type { Tokens } from './token.ts'

const tokenSchema = z.object({
  id: z.string(),
  role: z.enum(['human', 'agent']),
  session: z.string().optional(),
  label: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
  last_used_at: z.string().optional(),
})

const cursorSchema = z
  .string()
  .regex(/^[0-9TZ:.-]+_[a-z0-9]+$/, 'pass the value of next_cursor')
  .transform((text) => ({ createdAt: text.slice(0, text.indexOf('_')), id: text.slice(text.indexOf('_') + 1) }))

export function createTokenProvider(tokens: Pick<Tokens, 'issue' | 'list' | 'revoke'>): Provider {
  const tools = [
    defineTool({
      name: 'issue_token',
      description:
        'Creates a token: role "human" for the management server, "agent" for the compositor of one session. Only this result shows its text.',
      input: z.strictObject({
        role: z.enum(['human', 'agent']),
        session: z.string().min(1).max(200).optional().describe('For an agent: the session it belongs to.'),
        label: z.string().overwrite(withoutControls).max(200).optional().describe('Its purpose.'),
        expires_in: durationSchema.optional(),
        toolsets: z
          .array(z.string())
          .optional()
          .describe(`Listed if a request names none: ${toolsetChoices.join(', ')}.`),
      }),
      output: tokenSchema.omit({ revoked_at: true, last_used_at: true }).extend({ token: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      answersOnce: true,
      async run({ role, session, label, expires_in, toolsets }) {
        const [unknown] = unknownToolsets(toolsets ?? [])
        if (unknown !== undefined) {
          const known = toolsetChoices.join(', ')
          throw new HubError('invalid', `"toolsets": there is no toolset "${unknown}". There are: ${known}.`)
        }
        const expiresInMs = expires_in === undefined ? undefined : toMilliseconds(expires_in)
        const issued = await tokens.issue({ role, session, label, expiresInMs, toolsets })
        return { token: issued.text, ...toWire(issued) }
      },
    }),
    defineTool({
      name: 'list_tokens',
      description: 'Lists the tokens without their text: role, session, label, creation, expiry, last use.',
      input: z.strictObject({
        cursor: cursorSchema.optional().describe('From next_cursor. Default: the first.'),
        limit: z.int().min(1).max(1_000).default(200),
      }),
      output: z.object({ tokens: z.array(tokenSchema), next_cursor: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ cursor, limit }) {
        const found = await tokens.list(cursor, limit + 1)
        const page = found.slice(0, limit)
        const last = page.at(-1)
        return {
          tokens: page.map(toWire),
          ...(last && found.length > limit && { next_cursor: `${last.createdAt}_${last.id}` }),
        }
      },
    }),
    defineTool({
      name: 'revoke_token',
      description: 'Ends a token for good. Its open streams close within a second. Its next request gets 401.',
      input: z.strictObject({ id: z.string().describe('From list_tokens; not the token itself.') }),
      output: z.object({ id: z.string(), revoked_at: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run({ id }) {
        const { revokedAt } = await tokens.revoke(id)
        return { id, revoked_at: revokedAt }
      },
    }),
  ]
  return { toolset: 'admin', tools: () => tools }
}

function toWire(row: TokenRow): z.input<typeof tokenSchema> {
  return {
    id: row.id,
    role: row.role,
    session: row.session,
    label: row.label,
    toolsets: row.toolsets && [...row.toolsets],
    created_at: row.createdAt,
    expires_at: row.expiresAt,
    revoked_at: row.revokedAt,
    last_used_at: row.lastUsedAt,
  }
}
