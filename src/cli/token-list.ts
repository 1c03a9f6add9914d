/** `signalbox token list` */
import { z } from 'zod'
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { listAll } from './list-all.ts'
import { renderTable } from './table.ts'

const tokenRecord = z.looseObject({
  id: z.string(),
  role: z.string(),
  session: z.string().optional(),
  label: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
  last_used_at: z.string().optional(),
})

export type TokenRecord = z.output<typeof tokenRecord>

export const command = defineCommand({
  about: 'Lists the tokens: whose they are, when they were made and last used, and until when they are good.',
  flags: { ...hubFlags, ...jsonFlag },
  examples: ['signalbox token list', 'signalbox token list --json'],
  async run(args, context) {
    await using hub = await connectFrom(args, context)
    const tokens = await listAll(hub, { tool: 'list_tokens', name: 'tokens', item: tokenRecord })
    context.out(args.has('json') ? JSON.stringify({ tokens }, null, 2) : renderTokens(tokens, new Date()))
    return 'ok'
  },
})

export function renderTokens(tokens: readonly TokenRecord[], now: Date): string {
  const rows = tokens.map((token) => [
    token.id,
    token.role,
    token.session ?? '–',
    token.label ?? '–',
    token.toolsets?.join(',') ?? '–',
    minute(token.created_at),
    minute(token.last_used_at),
    lifeOf(token, now),
  ])
  return renderTable([['id', 'role', 'session', 'label', 'toolsets', 'made', 'last used', 'good'], ...rows])
}

function lifeOf({ revoked_at, expires_at }: TokenRecord, now: Date): string {
  if (revoked_at !== undefined) return `revoked ${minute(revoked_at)}`
  if (expires_at === undefined) return 'yes'
  return new Date(expires_at) <= now ? `expired ${minute(expires_at)}` : `until ${minute(expires_at)}`
}

/** `2026-11-15 23:05`, in UTC like everything the hub says. */
function minute(time: string | undefined): string {
  return time === undefined ? '–' : time.slice(0, 16).replace('T', ' ')
}
