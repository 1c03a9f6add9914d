/** How a pane is, as `display-message` tells it. */
import type { Size } from '../holder/frames.ts'

export interface PaneLook {
  readonly pane: string
  readonly session: string
  readonly size: Size
  readonly window: Size
  /** No other pane is in its window. */
  readonly isAlone: boolean
  /** `latest`, `manual` … */
  readonly windowSize: string
  readonly pid: number
  /** Of the escort, if it was started by us. */
  readonly mark: string | undefined
  readonly programPid: number | undefined
  /** The session of ours that has it, or had. */
  readonly heldAs: string | undefined
}

export const markOption = '@signalbox_mark'
export const pidOption = '@signalbox_pid'
export const heldOption = '@signalbox_session'

const fields = [
  'pane_id',
  'session_id',
  'pane_width',
  'pane_height',
  'window_width',
  'window_height',
  'window_panes',
  'window-size',
  'pane_pid',
  markOption,
  pidOption,
  heldOption,
]

export const lookFormat = fields.map((name) => `#{${name}}`).join(';')

/** Of a pane that is not there every field is empty. */
export function readLook(line: string): PaneLook {
  const [pane = '', session = '', cols, rows, width, height, panes, windowSize = '', pid, mark, programPid, heldAs] =
    line.trimEnd().split(';')
  return {
    pane,
    session,
    size: { cols: Number(cols), rows: Number(rows) },
    window: { cols: Number(width), rows: Number(height) },
    isAlone: panes === '1',
    windowSize,
    pid: Number(pid),
    mark: mark || undefined,
    programPid: programPid ? Number(programPid) : undefined,
    heldAs: heldAs || undefined,
  }
}
