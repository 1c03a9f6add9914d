/** The mount `resources`: the resources of a session's upstreams, for agents whose client shows them tools only. */
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Call, FaceContents, Provider } from '../mcp/mcp.ts'
import { defineTool, inputRequired, isInputRequired, metaOf, RpcError, uriText } from '../mcp/mcp.ts'
import { cutWindow } from './byte-window.ts'
import type { Mount } from './mount.ts'
import { isOfPolicy } from './policy-errors.ts'
import type { SessionMounts } from './session-mounts.ts'
import type { Subscriptions } from './subscriptions.ts'
import { subscriptionsUri } from './subscriptions.ts'

const reading = { readOnlyHint: true, openWorldHint: false }
const writing = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const server = z.string().optional().describe('The mount, if several have it.')
const uri = uriText.min(1)

const partSchema = z.object({
  kind: z.enum(['text', 'base64']),
  text: z.string().optional(),
  base64: z.string().optional(),
  uri: z.string().optional(),
  mime: z.string().optional(),
  total_bytes: z.int(),
  bytes_returned: z.int(),
})

const maxListed = 1_000

export function createResourcesMount(
  mounts: SessionMounts,
  subscriptions: Subscriptions,
  face: FaceContents,
): Provider {
  function find(label: string | undefined, wanted: string): Mount {
    if (mounts.ownResources()(wanted)) {
      throw new HubError(
        'invalid',
        `"uri": "${wanted}" is the hub's own and held by no mount; read it by resources/read.`,
      )
    }
    const all = mounts.mounts.filter((mount) => mount.hasResources)
    if (label !== undefined) {
      const mount = all.find(({ bound }) => bound.label === label)
      if (mount) return mount
      throw new HubError('not-found', `"server": no mount "${label}" has resources. There are: ${namesOf(all)}.`)
    }
    const named = all.filter(({ definitions }) => definitions.resourcesByUri.has(wanted))
    const [only, ...others] = named.length > 0 ? named : all
    if (!only) throw new HubError('not-found', '"uri": no mount of this session has resources.')
    if (others.length === 0) return only
    throw new HubError('invalid', `"server": several mounts may hold it; name one of: ${namesOf([only, ...others])}.`)
  }

  const tools = [
    defineTool({
      name: 'resources_list',
      description: 'The resources that the mounts of this session list.',
      input: z.strictObject({
        server: z.string().optional(),
        uri_prefix: z.string().optional(),
        cursor: z.string().regex(/^\d+$/).optional(),
        limit: z.int().min(1).max(maxListed).default(200),
      }),
      output: z.object({
        resources: z.array(z.object({ server: z.string(), resource: z.record(z.string(), z.unknown()) })),
        next_cursor: z.string().optional(),
      }),
      annotations: reading,
      async run({ server: label, uri_prefix: prefix = '', cursor = '0', limit }) {
        const isOwn = mounts.ownResources()
        const found = mounts.mounts.flatMap(({ bound, definitions }) =>
          label !== undefined && bound.label !== label
            ? []
            : definitions.resources
                .filter((resource) => resource.uri.startsWith(prefix) && !isOwn(resource.uri))
                .map(({ listed }) => ({ server: bound.label, resource: listed as Record<string, unknown> })),
        )
        const end = Number(cursor) + limit
        return {
          resources: found.slice(Number(cursor), end),
          ...(end < found.length && { next_cursor: String(end) }),
        }
      },
    }),
    defineTool({
      name: 'resources_read',
      description: 'Reads a resource of a mount, whole or a window of bytes.',
      input: z.strictObject({
        server,
        uri,
        start_offset: z.int().min(0).default(0),
        max_bytes: z.int().min(0).default(0).describe('0: no limit.'),
      }),
      output: z.object({
        window: z.object({ start_offset: z.int(), max_bytes: z.int() }),
        parts: z.array(partSchema),
        total_parts: z.int(),
      }),
      annotations: reading,
      async run({ server: label, uri: wanted, start_offset, max_bytes }, call) {
        const mount = find(label, wanted).bound.label
        const reading = call.with({ params: { uri: wanted, _meta: metaOf(call.params) } })
        const result = await toTool(() => face.readResource(wanted, reading, mount))
        if (!result) throw new HubError('not-found', `"uri": the mount "${mount}" was detached.`)
        if (isInputRequired(result)) return inputRequired(result.inputRequests, result.state)
        const contents = (result as { contents?: unknown }).contents
        const all = Array.isArray(contents) ? contents : []
        return {
          window: { start_offset, max_bytes },
          parts: cutWindow(all, start_offset, max_bytes).map((part) => ({ ...part })),
          total_parts: all.length,
        }
      },
    }),
    defineTool({
      name: 'resources_subscribe',
      description: `Follows a resource; ${subscriptionsUri} says when it changed, even after a hub restart.`,
      input: z.strictObject({ server, uri }),
      output: z.object({ ok: z.boolean() }),
      annotations: writing,
      async run({ server: label, uri: wanted }, call) {
        const mount = find(label, wanted)
        await toTool(() => subscriptions.add({ mount: mount.bound.label, uri: wanted }, call))
        return { ok: true }
      },
    }),
    defineTool({
      name: 'resources_unsubscribe',
      description: 'Stops following a resource.',
      input: z.strictObject({ server, uri }),
      output: z.object({ ok: z.boolean() }),
      annotations: writing,
      async run({ server: label, uri: wanted }) {
        const followed = (await subscriptions.list()).filter(
          (each) => each.uri === wanted && (label === undefined || each.server === label),
        )
        if (followed.length === 0) throw new HubError('not-found', `"uri": "${wanted}" is not followed.`)
        for (const each of followed) await subscriptions.remove({ mount: each.server, uri: wanted })
        return { ok: true }
      },
    }),
  ]

  const index = {
    uri: subscriptionsUri,
    name: 'subscriptions',
    description: 'The resources followed with resources_subscribe, and when each last changed.',
    mimeType: 'application/json',
    async read(_: Call) {
      const text = JSON.stringify({ subscriptions: await subscriptions.list() })
      return { contents: [{ uri: subscriptionsUri, mimeType: 'application/json', text }] }
    },
  }
  return { toolset: 'sessions', tools: () => tools, resources: () => [index] }
}

/** Turns errors of an upstream and open approvals into tool results, so that the model sees them. */
async function toTool<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RpcError && !isOfPolicy(error)) throw new HubError('unavailable', messageOf(error))
    throw error
  }
}

function namesOf(mounts: readonly Mount[]): string {
  return mounts.map(({ bound }) => bound.label).join(', ') || 'none'
}
