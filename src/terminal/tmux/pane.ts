/** A pane, as tmux describes it. */
import type { Size } from '../pty/size.ts'
import type { TmuxAccess } from './access.ts'
import { runTmux, TmuxError } from './access.ts'

export interface Pane {
  /** `%5` */
  readonly id: string
  /** `/dev/pts/7` */
  readonly tty: string
  readonly pid: number
  readonly size: Size
  readonly window: Size
  /** It is the only pane in its window. */
  readonly isAlone: boolean
  /** `latest`, `manual` … */
  readonly windowSize: string
  /** Its output goes to a program. */
  readonly isPiped: boolean
  /** The terminal of the hub that has, or once had, this pane. */
  readonly ownerSession: string | undefined
  /** The mark of the watchdog and the pid of the program, if the hub started it. */
  readonly mark: string | undefined
  readonly programPid: number | undefined
  readonly sessionName: string
  readonly command: string
  readonly cwd: string
}

/** Stored in tmux, for a later holder of the pane. */
export const paneOption = {
  ownerSession: '@signalbox_session',
  mark: '@signalbox_mark',
  pid: '@signalbox_pid',
} as const

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
  paneOption.ownerSession,
  paneOption.mark,
  paneOption.pid,
  'session_name',
  'pane_current_command',
  // tmux cannot tell where a program is that has just started.
  '?pane_current_path,#{pane_current_path},#{pane_start_path}',
]

export const paneFormat = fields.map((name) => `#{${name}}`).join('\n')

/** Finds a pane by its id. `undefined`: tmux says that there is none. Throws if tmux does not answer. */
export async function findPane(access: TmuxAccess, id: string): Promise<Pane | undefined> {
  try {
    return readPane(await runTmux(access, [['display-message', '-p', '-t', id, paneFormat]]))
  } catch (error) {
    if (error instanceof TmuxError && (error.isWithoutServer || error.message.includes("can't find"))) return undefined
    throw error
  }
}

/** For an unknown id, tmux leaves the fields empty. */
export function readPane(answer: Buffer): Pane | undefined {
  const [id = '', tty = '', pid, cols, rows, width, height, panes, windowSize = '', piped, ...rest] = answer
    .toString()
    .split('\n')
  const [ownerSession, mark, programPid, sessionName = '', command = '', cwd = ''] = rest
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
    ownerSession: ownerSession || undefined,
    mark: mark || undefined,
    programPid: programPid ? Number(programPid) : undefined,
    sessionName,
    command,
    cwd,
  }
}
