/** get_usage, and `resource://usage`, which changes with the end of each turn that used something. */
import { z } from 'zod'
import { usageSchema } from '../api/thread.ts'
import { addUsage, noUsage, usageGroups, usageRowSchema } from '../api/usage.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { UsageBook } from './usage.ts'
import { usageUri } from './usage.ts'

const dayMs = 24 * 60 * 60_000
const defaultDays = 30
const resourceDays = 7

const time = z.iso.datetime({ offset: true })

export function createUsageProvider(usage: Pick<UsageBook, 'read'>): Provider {
  const tool = defineTool({
    name: 'get_usage',
    description:
      'Tokens and cost of the turns of agents, by day and session. A turn counts when it has ended. Without cost_usd, the cost is unknown.',
    input: z.strictObject({
      since: time.optional().describe(`ISO 8601. Default: ${defaultDays} days ago.`),
      until: time.optional(),
      by: z.enum(usageGroups).default('day_and_session'),
      time_zone: z
        .string()
        .max(100)
        .refine(isTimeZone, 'an IANA name, such as "Europe/Berlin"')
        .default('UTC')
        .describe('Where a day begins at midnight. An IANA name.'),
    }),
    output: z.object({ usage: z.array(usageRowSchema), total: usageSchema }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ since, until, by, time_zone: timeZone }) {
      const rows = await usage.read({
        since: since === undefined ? daysAgo(defaultDays) : new Date(since).toISOString(),
        until: until && new Date(until).toISOString(),
        by,
        timeZone,
      })
      return { usage: [...rows], total: rows.reduce(addUsage, noUsage) }
    },
  })
  const resource = {
    uri: usageUri,
    name: 'usage',
    description: `Tokens and cost of the last ${resourceDays} days, by day (UTC) and session.`,
    mimeType: 'application/json',
    async read() {
      const rows = await usage.read({ since: daysAgo(resourceDays), by: 'day_and_session', timeZone: 'UTC' })
      const text = JSON.stringify({ usage: rows })
      return { contents: [{ uri: usageUri, mimeType: 'application/json', text }] }
    },
  }
  return { toolset: 'events', tools: () => [tool], resources: () => [resource] }
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString()
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
