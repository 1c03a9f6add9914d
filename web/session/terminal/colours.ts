/** The colours of terminals. They are dark in both themes, since agents draw for dark ground. */
import type { ITheme } from '@xterm/xterm'

const palette = {
  black: '#24302c',
  red: '#FF7B72',
  green: '#5FCE92',
  yellow: '#EDB84C',
  blue: '#78AEFF',
  magenta: '#CFA0F0',
  cyan: '#63C9CE',
  white: '#CBD5D0',
  brightBlack: '#7E8B85',
  brightRed: '#FF9B94',
  brightGreen: '#86DDAE',
  brightYellow: '#F4CC7C',
  brightBlue: '#9FC5FF',
  brightMagenta: '#DDBDF5',
  brightCyan: '#8FDADE',
  brightWhite: '#F2F6F4',
} as const

export function terminalColours(): ITheme {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(name).trim()
  return {
    ...palette,
    background: of('--term-bg'),
    foreground: of('--term-fg'),
    cursor: of('--term-bright'),
    cursorAccent: of('--term-bg'),
    selectionBackground: '#3d5a50',
  }
}
