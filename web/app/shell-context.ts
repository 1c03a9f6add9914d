/** What any view can ask of the frame around it. */
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
