/** Whether the page has one pane. */
import { useSyncExternalStore } from 'react'

const phone = matchMedia('(max-width: 767px)')

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      phone.addEventListener('change', listener)
      return () => phone.removeEventListener('change', listener)
    },
    () => phone.matches,
  )
}
