/**
 * A value of the hub that is read when somebody looks at it, and again after each notice. One read at a time: a notice
 * during a read causes another one after it.
 */
import { CallFailure } from './failure.ts'
import type { Feed } from './feed.ts'
import { type Store, createStore } from './store.ts'

export interface Live<T> {
  /** The last one that was read. It stays while the hub is lost. */
  readonly value?: T
  /** Why the hub refuses to give it. */
  readonly refused?: string
}

export type LiveValue<T> = Pick<Store<Live<T>>, 'get' | 'subscribe'> & {
  /** Reads it now. */
  refresh(): void
}

export interface LiveOptions<T> {
  readonly uris: readonly string[]
  /** `before` is the last value. */
  read(signal: AbortSignal, before: T | undefined): Promise<T>
  /** The shortest time between two reads. */
  readonly everyMs?: number
}

export function createLiveValue<T>(
  options: LiveOptions<T> & { readonly feed: Feed; readonly ended: AbortSignal },
): LiveValue<T> {
  const { uris, read, everyMs = 0, feed, ended } = options
  const state = createStore<Live<T>>({})
  let viewers = 0
  let stopWatching = () => {}
  let isReading = false
  let isStale = false

  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && viewers > 0 && !ended.aborted) {
      isStale = false
      const begun = performance.now()
      try {
        state.set({ value: await read(ended, state.get().value) })
      } catch (error) {
        if (ended.aborted) break
        if (!(error instanceof CallFailure)) console.error(error)
        else if (error.kind === 'refused') state.set({ ...state.get(), refused: error.message })
        // If the hub is lost, the next acknowledgement causes a new read.
      }
      const restMs = everyMs - (performance.now() - begun)
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    }
    isReading = false
  }

  return {
    get: state.get,
    refresh: () => void refresh(),
    subscribe(listener) {
      const unsubscribe = state.subscribe(listener)
      if (viewers++ === 0) {
        stopWatching = feed.watch(uris, () => void refresh())
        void refresh()
      }
      return () => {
        unsubscribe()
        if (--viewers === 0) stopWatching()
      }
    },
  }
}
