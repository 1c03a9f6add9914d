/** The colours of terminals. */
import type { ITheme } from '@xterm/xterm'
import { terminalPalette } from '../../parts/terminal-palette.ts'

export function terminalColours(): ITheme {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(name).trim()
  return {
    ...terminalPalette,
    background: of('--term-bg'),
    foreground: of('--term-fg'),
    cursor: of('--term-bright'),
    cursorAccent: of('--term-bg'),
    selectionBackground: '#3d5a50',
  }
}
