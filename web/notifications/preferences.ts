/** The notifications that this browser shows its person while the page is open in a tab. */
import { createStore, useStore } from '../hub/store.ts'

export const kinds = ['approval', 'question', 'failure'] as const
export type Kind = (typeof kinds)[number]
export type Preferences = Readonly<Record<Kind, boolean>>

const key = 'signalbox-notifications'
const nothing: Preferences = { approval: false, question: false, failure: false }
const preferences = createStore<Preferences>(read())
addEventListener('storage', (event) => event.key === key && preferences.set(read()))

export function usePreferences(): Preferences {
  return useStore(preferences)
}

export function readPreferences(): Preferences {
  return preferences.get()
}

export function canNotify(): boolean {
  return 'Notification' in window && 'serviceWorker' in navigator
}

/** Asks the browser first. Throws if the person or the browser refuses. */
export async function setPreference(kind: Kind, isOn: boolean): Promise<void> {
  if (isOn) await askBrowser()
  const next = { ...preferences.get(), [kind]: isOn }
  localStorage.setItem(key, JSON.stringify(next))
  preferences.set(next)
}

export async function askBrowser(): Promise<void> {
  if (!canNotify()) throw new Error('This browser shows notifications only for pages over https.')
  const answer = await Notification.requestPermission()
  if (answer !== 'granted') {
    throw new Error('This browser does not allow notifications of this page. Allow them in its settings for this site.')
  }
}

function read(): Preferences {
  if (!canNotify() || Notification.permission !== 'granted') return nothing
  try {
    return { ...nothing, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>) }
  } catch {
    return nothing
  }
}
