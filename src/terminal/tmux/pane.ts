/** One pane, as tmux tells it. */
import type { Size } from '../holder/frames.ts'
import type { TmuxAccess } from './access.ts'
import { askTmux, TmuxError } from './access.ts'

export interface Pane {
  /** `%5` */
  readonly id: string
  /** `/dev/pts/7` */
  readonly tty: string
  readonly pid: number
  readonly size: Size
  readonly window: Size
  /** No other pane is in its window. */
  readonly isAlone: boolean
  /** `latest`, `manual` … */
  readonly windowSize: string
  /** A program is given what its own prints. */
  readonly isPiped: boolean
  /** The terminal of ours that holds it, or held it once. */
  readonly heldAs: string | undefined
  /** Of the escort, if it was started by us, and the program it runs. */
  readonly mark: string | undefined
  readonly programPid: number | undefined
  readonly sessionName: string
  readonly command: string
  readonly cwd: string
}

/** Kept by tmux, for whoever takes the pane up later. */
export const paneOption = { heldAs: '@signalbox_session', mark: '@signalbox_mark', pid: '@signalbox_pid' } as const

const fields = [
  'pane_id',
  'pane_tty',
  'pane_pid',
  'pane_width',
  'pane_height',
  'window_width',
  'window_height',
  'window_panes',
  'window-size',
  'pane_pipe',
  paneOption.heldAs,
  paneOption.mark,
  paneOption.pid,
  'session_name',
  'pane_current_command',
  'pane_current_path',
]

export const paneFormat = fields.map((name) => `#{${name}}`).join('\n')

/** By its id. `undefined`: tmux says that there is none. Throws where it does not say. */
export async function findPane(access: TmuxAccess, id: string): Promise<Pane | undefined> {
  try {
    return readPane(await askTmux(access, [['display-message', '-p', '-t', id, paneFormat]]))
  } catch (error) {
    if (error instanceof TmuxError && (error.isWithoutServer || error.message.includes("can't find"))) return undefined
    throw error
  }
}

/** Where an id means nothing, tmux fills in nothing. */
export function readPane(answer: Buffer): Pane | undefined {
  const [id = '', tty = '', pid, cols, rows, width, height, panes, windowSize = '', piped, ...rest] = answer
    .toString()
    .split('\n')
  const [heldAs, mark, programPid, sessionName = '', command = '', cwd = ''] = rest
  if (id === '') return undefined
  return {
    id,
    tty,
    pid: Number(pid),
    size: { cols: Number(cols), rows: Number(rows) },
    window: { cols: Number(width), rows: Number(height) },
    isAlone: panes === '1',
    windowSize,
    isPiped: piped === '1',
    heldAs: heldAs || undefined,
    mark: mark || undefined,
    programPid: programPid ? Number(programPid) : undefined,
    sessionName,
    command,
    cwd,
  }
}
