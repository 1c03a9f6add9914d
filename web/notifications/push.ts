/** Push messages to this browser, also when the page is closed. */
import { useEffect } from 'react'
import type { PushList, PushSubscriptionView } from '../../src/api/push.ts'
import type { CallTool } from '../hub/hub.ts'
import { useHub } from '../hub/hub-context.tsx'
import { deviceName } from './device-name.ts'
import { askBrowser } from './preferences.ts'

export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window
}

/** Subscribes at the push service of the browser, and tells the hub. */
export async function turnOnPush(call: CallTool): Promise<PushSubscriptionView> {
  await askBrowser()
  const { public_key: key } = await call<PushList>('list_push_subscriptions')
  const { pushManager } = await navigator.serviceWorker.ready
  const before = await pushManager.getSubscription()
  // A subscription belongs to the key of one hub.
  if (before && toBase64url(before.options.applicationServerKey) !== key) await before.unsubscribe()
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((error: unknown) => {
      throw new Error(
        `The push service of this browser refused: ${error instanceof Error ? error.message : String(error)}`,
      )
    })
  return tellHub(call, subscription)
}

export async function turnOffPush(call: CallTool, id: string): Promise<void> {
  await call('unsubscribe_push', { id })
  const { pushManager } = await navigator.serviceWorker.ready
  await (await pushManager.getSubscription())?.unsubscribe()
}

/** A subscription ends with the token that made it, so a browser with a new token subscribes again. */
export function useRenewedPush(): void {
  const { call } = useHub()
  useEffect(() => {
    void ownSubscription(call).catch(() => {
      // The settings show that this browser is not among the devices.
    })
  }, [call])
}

/** The subscription of this browser, as the hub sees it. */
export async function ownSubscription(call: CallTool): Promise<PushSubscriptionView | undefined> {
  if (!canPush() || Notification.permission !== 'granted') return undefined
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await pushManager.getSubscription()
  if (!subscription) return undefined
  const { public_key: key } = await call<PushList>('list_push_subscriptions')
  if (toBase64url(subscription.options.applicationServerKey) !== key) return undefined
  return tellHub(call, subscription)
}

function tellHub(call: CallTool, subscription: PushSubscription): Promise<PushSubscriptionView> {
  return call<PushSubscriptionView>('subscribe_push', {
    endpoint: subscription.endpoint,
    public_key: toBase64url(subscription.getKey('p256dh')),
    auth_secret: toBase64url(subscription.getKey('auth')),
    label: deviceName(navigator.userAgent),
  })
}

function toBase64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer()))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
