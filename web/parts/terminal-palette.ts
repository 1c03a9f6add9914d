/** The colours of programs. They are for dark ground in both themes, since agents draw for dark ground. */
import { numberedColours } from '../../src/api/terminal-colours.ts'

export const terminalPalette = {
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

const ours = new Map(Object.values(terminalPalette).map((colour, index) => [numberedColours[index], colour]))

/** A colour that the hub reports, as the terminals of the page show it. */
export function shownColour(colour: string): string {
  return ours.get(colour) ?? colour
}
