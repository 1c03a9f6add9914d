/** The actions of the page's frame that any view can call. */
import { createContext } from 'react'

export interface ShellActions {
  openPalette(): void
  openNewSession(): void
  openKeys(): void
  logOut(): void
}

export const ShellContext = createContext<ShellActions>({
  openPalette: () => {},
  openNewSession: () => {},
  openKeys: () => {},
  logOut: () => {},
})
