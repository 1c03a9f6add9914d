/**
 * The service worker: shows push messages, opens the page where a notification leads, and answers with the offline page when
 * the hub cannot be reached. That page is all that it stores: no answer of the hub, no token.
 */
declare const self: ServiceWorkerGlobalScope

interface PushMessage {
  readonly title: string
  readonly body: string
  readonly tag: string
  /** Relative to the root of the page. */
  readonly path: string
}

/** Static routing. Browsers without it ask this worker about every request. */
interface RoutedInstall extends ExtendableEvent {
  addRoutes?(rules: readonly object[]): Promise<void>
}

const cacheName = 'signalbox-offline'
const offlinePage = addressOf('offline.html')

self.addEventListener('install', (event) => {
  // Calls go straight to the hub, without waking this worker.
  const calls = { condition: { requestMode: 'cors' }, source: 'network' }
  const routed = (event as RoutedInstall).addRoutes?.([calls]).catch(() => {})
  event.waitUntil(Promise.all([routed, keepOfflinePage()]))
})

async function keepOfflinePage(): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.add(new Request(offlinePage, { cache: 'reload' }))
  await self.skipWaiting()
}

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(fetch(event.request).catch(() => offlineAnswer()))
})

async function offlineAnswer(): Promise<Response> {
  return (await caches.match(offlinePage)) ?? Response.error()
}

self.addEventListener('push', (event) => {
  const message = event.data?.json() as PushMessage | undefined
  if (message) event.waitUntil(show(message))
})

/** The page shows its own notifications here too, so that a click on them does the same. */
self.addEventListener('message', (event) => {
  const { is, message } = event.data as { readonly is: 'show'; readonly message: PushMessage }
  if (is === 'show') event.waitUntil(show(message))
})

/** A person who looks at the question already needs no notification. */
async function show({ title, body, tag, path }: PushMessage): Promise<void> {
  const shown = await pages()
  if (shown.some(({ focused, url }) => focused && url === addressOf(path))) return
  const [icon, badge] = [addressOf('icon-192.png'), addressOf('badge.png')]
  await self.registration.showNotification(title, { body, tag, icon, badge, data: { path } })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { path } = event.notification.data as Pick<PushMessage, 'path'>
  event.waitUntil(open(path))
})

async function open(path: string): Promise<void> {
  const address = addressOf(path)
  if (!address.startsWith(self.registration.scope)) return
  const [page] = (await pages()).toSorted((one, other) => Number(other.focused) - Number(one.focused))
  if (!page) return void (await self.clients.openWindow(address))
  page.postMessage({ is: 'open', path })
  await page.focus()
}

function pages(): Promise<readonly WindowClient[]> {
  return self.clients.matchAll({ type: 'window', includeUncontrolled: true })
}

function addressOf(path: string): string {
  return new URL(path, self.registration.scope).href
}
