/** The paths and hosts that a confined program may use (docs/guides/sandbox.md). */
import { z } from 'zod'

const pathSchema = z
  .string()
  .max(4_000)
  .refine(
    (path) => /^(\/|~(\/|$)|\$[A-Za-z_])/.test(path) && !path.includes('\0'),
    'write an absolute path, one that begins with "~/", or a variable such as "$CODEX_HOME"',
  )

/** At most: more would make the command line of the sandbox too long. */
const mostPaths = 100
const mostHosts = 200

const hostSchema = z
  .string()
  .max(260)
  .regex(
    /^(\*\.)?([A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/,
    'write a host such as "api.example.com", "*.example.com" or "example.com:8080", without https://',
  )

export const networkSchema = z.union(
  [z.enum(['all', 'none']), z.strictObject({ allow: z.array(hostSchema).max(mostHosts) })],
  'write "all", "none", or {"allow": ["api.example.com"]}',
)

export const sandboxSchema = z.strictObject({
  write: z.array(pathSchema).max(mostPaths).default([]).describe('Paths it may write, beside the workspace.'),
  read: z.array(pathSchema).max(mostPaths).default([]).describe('Paths it may read, beside the system.'),
  network: networkSchema.describe(
    'all; none but the hub; or the hosts it may reach, on ports 80 and 443 or host:port.',
  ),
  nested: z.boolean().default(false).describe('Its programs may make sandboxes of their own.'),
})
export type Sandbox = z.output<typeof sandboxSchema>

/** In a template and in a request. */
export const sandboxChoiceSchema = z.union(
  [z.literal('off'), sandboxSchema],
  'write "off", or an object such as {"write": ["~/.cache"], "network": "all"}',
)
export type SandboxChoice = z.output<typeof sandboxChoiceSchema>

const limitedSchema = z.enum(['memory', 'processes'])
export type Limited = z.output<typeof limitedSchema>

/** How a session is confined. */
export const confinedSchema = z.object({
  by: z.literal('bubblewrap'),
  network: networkSchema,
  unlimited: z.array(limitedSchema).optional().describe('What of the machine it could use up: no limit could be set.'),
})
export type Confined = z.output<typeof confinedSchema>
