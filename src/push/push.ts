/**
 * Push messages: a phone in a pocket is told that an agent waits. A browser subscribes at the push service of its vendor and
 * gives the hub the address. The hub sends each question once to each device, and never waits for that.
 */
import type { Log } from '../base/log.ts'
import type { PushMessage } from '../base/notify.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { EndpointRules } from './push-endpoint.ts'
import { createPushStore } from './push-store.ts'
import type { Push, PushOutcome, PushSubscription } from './push-subscription.ts'
import { createPushProvider, pushUri } from './push-tools.ts'
import { createPushSender } from './send-push.ts'

export interface PushOptions {
  readonly store: Store
  readonly hubId: string
  readonly key: Buffer
  readonly contact: string
  readonly rules: EndpointRules
  readonly notices: Pick<Notices, 'resourceChanged'>
  /** Whether the token of a subscription is still valid. */
  readonly isValidToken: (id: string) => Promise<boolean>
  readonly log: Log
  readonly now?: () => Date
}

export function createPush(options: PushOptions): Push {
  const { store, hubId, notices, isValidToken, rules, log, now = () => new Date() } = options
  const rows = createPushStore(store, hubId)
  const sender = createPushSender(options)
  /** Counted, so that a hub without subscriptions does not query the store. */
  let count = 0

  async function changed(): Promise<void> {
    count = (await rows.list()).length
    notices.resourceChanged(pushUri)
  }

  async function listValid(): Promise<readonly PushSubscription[]> {
    const all = await rows.list()
    const valid = await Promise.all(all.map(({ tokenId }) => isValidToken(tokenId)))
    const ended = all.filter((_, index) => !valid[index])
    for (const { id } of ended) await rows.remove(id)
    if (ended.length > 0) await changed()
    return all.filter((_, index) => valid[index])
  }

  async function sendTo(device: PushSubscription, message: PushMessage, stopping: AbortSignal): Promise<PushOutcome> {
    const outcome = await sender.send(device, message, stopping)
    switch (outcome.is) {
      case 'sent':
        await rows.noteOutcome(device.id, { sentAt: now().toISOString() })
        break
      case 'gone':
        await rows.remove(device.id)
        break
      case 'failed':
        await rows.noteOutcome(device.id, { lastError: outcome.reason })
    }
    await changed()
    return outcome
  }

  return {
    channel: {
      get isOn() {
        return count > 0
      },
      async send(message, stopping) {
        const devices = await listValid()
        const outcomes = await Promise.allSettled(devices.map((device) => sendTo(device, message, stopping)))
        for (const [index, outcome] of outcomes.entries()) {
          const error = outcome.status === 'rejected' ? outcome.reason : undefined
          if (error !== undefined && !stopping.aborted) {
            log.warn({ subscription: devices[index]?.id, error }, 'a push message failed')
          }
        }
      },
    },
    providers: [
      createPushProvider({
        publicKey: sender.publicKey,
        rules,
        list: listValid,
        async save(subscription) {
          const saved = await rows.save({ ...subscription, createdAt: now().toISOString() })
          await changed()
          return saved
        },
        async remove(id) {
          const isRemoved = await rows.remove(id)
          await changed()
          return isRemoved
        },
        send: sendTo,
      }),
    ],
    start: changed,
  }
}
