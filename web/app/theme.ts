/** Light or dark: as the system says, until the person chooses. Terminals are dark in both, or as the page. */
import { createStore, useStore } from '../hub/store.ts'

export type Theme = 'light' | 'dark'
export type ThemeChoice = Theme | 'system'
export type TerminalGround = 'dark' | 'page'

const key = 'signalbox-theme'
const terminalKey = 'signalbox-terminal-ground'
const system = matchMedia('(prefers-color-scheme: dark)')
const choice = createStore<ThemeChoice>(readChoice())
const theme = createStore<Theme>(themeOf(choice.get()))
const terminalGround = createStore<TerminalGround>(readTerminalGround())

theme.subscribe(apply)
terminalGround.subscribe(apply)
choice.subscribe(() => theme.set(themeOf(choice.get())))
system.addEventListener('change', () => theme.set(themeOf(choice.get())))
addEventListener('storage', (event) => {
  if (event.key === key) choice.set(readChoice())
  if (event.key === terminalKey) terminalGround.set(readTerminalGround())
})
apply()

export function useTheme(): Theme {
  return useStore(theme)
}

export function useThemeChoice(): ThemeChoice {
  return useStore(choice)
}

export function useTerminalGround(): TerminalGround {
  return useStore(terminalGround)
}

export function switchTheme(): void {
  chooseTheme(theme.get() === 'dark' ? 'light' : 'dark')
}

export function chooseTheme(next: ThemeChoice): void {
  localStorage.setItem(key, next)
  choice.set(next)
}

export function chooseTerminalGround(next: TerminalGround): void {
  localStorage.setItem(terminalKey, next)
  terminalGround.set(next)
}

function readChoice(): ThemeChoice {
  const chosen = localStorage.getItem(key)
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

function readTerminalGround(): TerminalGround {
  return localStorage.getItem(terminalKey) === 'page' ? 'page' : 'dark'
}

function themeOf(chosen: ThemeChoice): Theme {
  if (chosen !== 'system') return chosen
  return system.matches ? 'dark' : 'light'
}

function apply(): void {
  const { dataset } = document.documentElement
  dataset['theme'] = theme.get()
  dataset['terminal'] = terminalGround.get()
}
