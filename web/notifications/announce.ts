/**
 * Notifies the person of new questions while the page is open, also in a hidden tab. One tab does it for all: the one with
 * the lock.
 */
import { useEffect } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { createBackoff } from '../hub/backoff.ts'
import { isLost } from '../hub/failure.ts'
import type { Hub } from '../hub/hub.ts'
import { useHub } from '../hub/hub-context.tsx'
import { kinds, readPreferences, usePreferences } from './preferences.ts'
import { type Question, questionsOf } from './questions.ts'

const uris = ['resource://approvals/pending', 'resource://sessions']
/** Busy sessions change all the time. */
const restMs = 1_000

export function useAnnouncements(): void {
  const hub = useHub()
  const preferences = usePreferences()
  const isOn = kinds.some((kind) => preferences[kind])
  useEffect(() => {
    if (!isOn) return
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, hub.ended])
    navigator.locks
      .request('signalbox-notifications', { signal }, () => announce(hub, signal))
      .catch((error: unknown) => {
        if (!signal.aborted) console.error(error)
      })
    return () => left.abort()
  }, [hub, isOn])
}

async function announce(hub: Hub, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff()
  const { read, onChange } = createReader(hub, signal)
  while (!signal.aborted) {
    try {
      await read()
      await hub.listen(uris, onChange, signal)
    } catch (error) {
      if (!isLost(error)) return
    }
    await backoff.wait(signal)
  }
}

/** Reads after each notice, one read at a time. Questions that already wait when the page opens are not announced. */
function createReader({ call }: Hub, signal: AbortSignal): { read(): Promise<void>; onChange(): void } {
  let known: ReadonlySet<string> | undefined
  let isReading = false
  let isStale = false

  async function read(): Promise<void> {
    const [{ approvals }, { sessions }] = await Promise.all([
      call<{ approvals: readonly Approval[] }>('list_approvals', {}, signal),
      call<{ sessions: readonly Session[] }>('list_sessions', { limit: 1_000 }, signal),
    ])
    const questions = questionsOf(approvals, sessions)
    const before = known
    known = new Set([...(before ?? []), ...questions.map(({ key }) => key)])
    if (before) for (const question of questions) if (!before.has(question.key)) await show(question)
  }

  async function readAll(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !signal.aborted) {
      isStale = false
      await read().catch(() => {
        // The next acknowledgement causes another read.
      })
      await new Promise((resolve) => setTimeout(resolve, restMs))
    }
    isReading = false
  }
  return { read, onChange: () => void readAll() }
}

async function show({ kind, message }: Question): Promise<void> {
  if (!readPreferences()[kind]) return
  const { active } = await navigator.serviceWorker.ready
  active?.postMessage({ is: 'show', message })
}
