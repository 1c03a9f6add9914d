/** subscribe_push, unsubscribe_push, list_push_subscriptions, test_push and `resource://push` */
import { z } from 'zod'
import { pushListSchema, pushSubscriptionSchema } from '../api/push.ts'
import { randomUUID } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import type { PushMessage } from '../base/notify.ts'
import { withoutControls } from '../base/without-controls.ts'
import { type Provider, defineTool } from '../mcp/mcp.ts'
import { type EndpointRules, checkEndpoint } from './push-endpoint.ts'
import type { PushOutcome, PushSubscription } from './push-subscription.ts'

export const pushUri = 'resource://push'
const mimeType = 'application/json'

/** More devices than people have, and few enough that a question costs the hub little. */
const mostSubscriptions = 50
const longestEndpoint = 2_000

const base64url = (bytes: number, what: string) =>
  z
    .string()
    .regex(/^[\w-]+$/, `pass ${what} of the subscription as base64url`)
    .refine((text) => Buffer.from(text, 'base64url').length === bytes, `${what} must have ${bytes} bytes`)

export interface PushProviderOptions {
  readonly publicKey: string
  readonly rules: EndpointRules
  list(): Promise<readonly PushSubscription[]>
  save(subscription: Omit<PushSubscription, 'createdAt'>): Promise<PushSubscription>
  /** False: there was none. */
  remove(id: string): Promise<boolean>
  send(device: PushSubscription, message: PushMessage, signal: AbortSignal): Promise<PushOutcome>
}

export function createPushProvider({ publicKey, rules, list, save, remove, send }: PushProviderOptions): Provider {
  const read = async () => ({ public_key: publicKey, subscriptions: (await list()).map(toWire) })

  async function chosen(id: string | undefined): Promise<readonly PushSubscription[]> {
    const all = await list()
    const some = id === undefined ? all : all.filter((device) => device.id === id)
    if (some.length > 0) return some
    throw id === undefined
      ? new HubError('not-found', 'No device has subscribed. Turn push on in the settings of the page.')
      : noSubscription(id)
  }

  const tools = [
    defineTool({
      name: 'subscribe_push',
      description:
        'Sends push messages to a browser: when a call waits for approval, and when a session starts to wait for a person. For web pages; the values come from PushManager.subscribe(). Ends with the token that subscribes.',
      input: z.strictObject({
        endpoint: z.string().max(longestEndpoint).describe('The address of the subscription.'),
        public_key: base64url(65, 'the key "p256dh"').describe('Its key "p256dh".'),
        auth_secret: base64url(16, 'the key "auth"').describe('Its key "auth".'),
        label: z.string().overwrite(withoutControls).max(100).optional().describe('The device, for people.'),
      }),
      output: pushSubscriptionSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      async run({ endpoint, public_key, auth_secret, label }, { caller }) {
        checkEndpoint(endpoint, rules)
        const known = await list()
        if (known.length >= mostSubscriptions && !known.some((device) => device.endpoint === endpoint)) {
          throw new HubError(
            'conflict',
            `There are ${mostSubscriptions} subscriptions already. Remove one with unsubscribe_push.`,
          )
        }
        const saved = await save({
          id: randomUUID(),
          endpoint,
          publicKey: public_key,
          authSecret: auth_secret,
          label,
          tokenId: caller.tokenId,
          sentAt: undefined,
          lastError: undefined,
        })
        return toWire(saved)
      },
    }),
    defineTool({
      name: 'unsubscribe_push',
      description: 'Stops push messages to a device.',
      input: z.strictObject({ id: z.string().describe('From list_push_subscriptions.') }),
      output: z.object({ id: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ id }) {
        if (!(await remove(id))) throw noSubscription(id)
        return { id }
      },
    }),
    defineTool({
      name: 'list_push_subscriptions',
      description: 'The devices that get push messages, and the key with which a browser subscribes.',
      input: z.strictObject({}),
      output: pushListSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: read,
    }),
    defineTool({
      name: 'test_push',
      description: 'Sends a push message to one device or to all, and says for which it failed.',
      input: z.strictObject({ id: z.string().optional().describe('Default: all devices.') }),
      output: z.object({
        sent: z.int(),
        failed: z.array(z.object({ id: z.string(), label: z.string().optional(), reason: z.string() })),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      async run({ id }, { signal }) {
        const devices = await chosen(id)
        const outcomes = await Promise.all(devices.map((device) => send(device, testMessage, signal)))
        const failed = outcomes.flatMap((outcome, index) => {
          const { id: device = '', label } = devices[index] ?? {}
          return outcome.is === 'sent' ? [] : [{ id: device, label, reason: outcome.reason }]
        })
        return { sent: outcomes.length - failed.length, failed }
      },
    }),
  ]
  const resource = {
    uri: pushUri,
    name: 'push',
    description: 'The devices that get push messages.',
    mimeType,
    read: async () => ({ contents: [{ uri: pushUri, mimeType, text: JSON.stringify(await read()) }] }),
  }
  return { toolset: 'admin', tools: () => tools, resources: () => [resource] }
}

const testMessage: PushMessage = {
  title: 'Signalbox',
  body: 'This device gets a message when an agent waits for you.',
  tag: 'test',
  path: 'settings/notifications',
}

function noSubscription(id: string): HubError {
  return new HubError('not-found', `No subscription with the id "${id}". Call list_push_subscriptions for the ids.`)
}

function toWire({ id, endpoint, label, createdAt, sentAt, lastError }: PushSubscription) {
  return {
    id,
    label,
    service: new URL(endpoint).host,
    created_at: createdAt,
    sent_at: sentAt,
    last_error: lastError,
  }
}
