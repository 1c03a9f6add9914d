/** Light or dark: as the system says, until the person chooses. */
import { createStore, useStore } from '../hub/store.ts'

export type Theme = 'light' | 'dark'

const key = 'signalbox-theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const theme = createStore<Theme>(readTheme())

theme.subscribe(apply)
system.addEventListener('change', () => theme.set(readTheme()))
addEventListener('storage', (event) => event.key === key && theme.set(readTheme()))
apply()

export function useTheme(): Theme {
  return useStore(theme)
}

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark'
  localStorage.setItem(key, next)
  theme.set(next)
}

function readTheme(): Theme {
  const chosen = localStorage.getItem(key)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return system.matches ? 'dark' : 'light'
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme.get()
}
