/** `signalbox token list` */
import { z } from 'zod'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listAll } from '../hub-client/list-all.ts'
import { renderTable } from '../terminal-output/table.ts'

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
  about: 'Lists the tokens: role, session, label, when they were issued and last used, and until when they are valid.',
  flags: { all: { short: 'a', about: 'include tokens that are revoked' }, ...hubFlags, ...jsonFlag },
  examples: ['signalbox token list', 'signalbox token list --all', 'signalbox token list --json'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    const found = await listAll(hub, {
      tool: 'list_tokens',
      name: 'tokens',
      read: (items) => z.array(tokenRecord).parse(items),
    })
    const tokens = args.has('all') ? found : found.filter((token) => token.revoked_at === undefined)
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
    validityOf(token, now),
  ])
  return renderTable([['id', 'role', 'session', 'label', 'toolsets', 'issued', 'last used', 'valid'], ...rows])
}

function validityOf({ revoked_at, expires_at }: TokenRecord, now: Date): string {
  if (revoked_at !== undefined) return `revoked ${minute(revoked_at)}`
  if (expires_at === undefined) return 'yes'
  return new Date(expires_at) <= now ? `expired ${minute(expires_at)}` : `until ${minute(expires_at)}`
}

/** `2026-11-15 23:05`, in UTC like all times of the hub. */
function minute(time: string | undefined): string {
  return time === undefined ? '–' : time.slice(0, 16).replace('T', ' ')
}
