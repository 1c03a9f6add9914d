/** Turns text with colours and styles into escape sequences. */
import { z } from 'zod'
import { printableLine } from '../terminal-output/printable.ts'
import { isSafeLink } from '../terminal-output/safe-link.ts'

const flag = z.boolean().optional()

/** Neighbouring cells with the same colours and styles, as `read_screen` returns them. */
export const runSchema = z.looseObject({
  text: z.string(),
  col: z.number(),
  width: z.number(),
  fg: z.string(),
  bg: z.string(),
  bold: flag,
  dim: flag,
  italic: flag,
  underline: flag,
  reverse: flag,
  struck: flag,
  invisible: flag,
  link: z.string().optional(),
})
export type Run = z.output<typeof runSchema>

export function drawRuns(runs: readonly Run[]): string {
  let drawn = ''
  let column = 0
  for (const run of runs) {
    drawn += ' '.repeat(Math.max(0, run.col - column)) + drawRun(run)
    column = run.col + run.width
  }
  return drawn
}

function drawRun(run: Run): string {
  const codes = [
    ...styleCodes.filter(([style]) => run[style]).map(([, code]) => code),
    ...colourCodes(38, run.fg),
    ...colourCodes(48, run.bg),
  ]
  const cells = printableLine(run.text)
  const text = codes.length > 0 ? `\x1b[${codes.join(';')}m${cells}\x1b[0m` : cells
  return run.link === undefined || !isSafeLink(run.link)
    ? text
    : `\x1b]8;;${printableLine(run.link)}\x1b\\${text}\x1b]8;;\x1b\\`
}

const styleCodes = [
  ['bold', 1],
  ['dim', 2],
  ['italic', 3],
  ['underline', 4],
  ['reverse', 7],
  ['invisible', 8],
  ['struck', 9],
] as const satisfies readonly (readonly [keyof Run, number])[]

/** Understands `#rrggbb`. Any other value stands for the terminal's default colour. */
function colourCodes(ground: 38 | 48, colour: string): readonly number[] {
  const [, ...channels] = /^#(..)(..)(..)$/.exec(colour) ?? []
  return channels.length === 0 ? [] : [ground, 2, ...channels.map((channel) => parseInt(channel, 16))]
}
