/** Gives components the hub, and the values that most of them show. */
import { createContext, use, useMemo } from 'react'
import type { Hub } from './hub.ts'
import type { Live, LiveOptions, LiveValue } from './live-value.ts'
import { useStore } from './store.ts'

const HubContext = createContext<Hub | undefined>(undefined)
export const HubProvider = HubContext.Provider

export function useHub(): Hub {
  const hub = use(HubContext)
  if (!hub) throw new Error('There is no hub above this component.')
  return hub
}

export function useLive<T>(
  key: string,
  options: (hub: Hub) => LiveOptions<T>,
): Live<T> & Pick<LiveValue<T>, 'refresh'> {
  const hub = useHub()
  // The key says what is read. The options of the first caller are used.
  const value = useMemo(() => hub.live(key, options(hub)), [hub, key])
  return { ...useStore(value), refresh: value.refresh }
}

export function useIsLost(): boolean {
  return useStore(useHub().feed.link).is === 'lost'
}
