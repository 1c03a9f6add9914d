/** Registers the service worker. Browsers have it only for pages over https or on this machine. */
import { address } from '../app/address.ts'
import { goToPath } from '../app/router.ts'

navigator.serviceWorker?.register(address('sw.js')).catch(() => {
  // The page works without it: only notifications and the offline page are missing.
})

navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ is: 'open'; path: string }>) => {
  if (data.is === 'open') goToPath(data.path)
})
