/** A browser that wants push messages, and how the hub sees it. */
import type { PushChannel } from '../base/notify.ts'
import type { Feature } from '../feature/feature.ts'

export interface PushSubscription {
  readonly id: string
  /** Chosen by the browser. It is not enough to send messages, which also takes the key of the hub. */
  readonly endpoint: string
  /** The key of the browser, for the encryption. Base64url. */
  readonly publicKey: string
  readonly authSecret: string
  readonly label: string | undefined
  /** The token of the person who subscribed. If it ends, so does the subscription. */
  readonly tokenId: string
  readonly createdAt: string
  readonly sentAt: string | undefined
  readonly lastError: string | undefined
}

/** `gone`: the push service no longer knows the subscription. */
export type PushOutcome =
  | { readonly is: 'sent' }
  | { readonly is: 'gone'; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string }

export type SendPush = (subscription: PushSubscription, message: object, stopping: AbortSignal) => Promise<PushOutcome>

export interface Push extends Feature {
  /** For the notifications of approvals and of waiting sessions. */
  readonly channel: PushChannel
}
