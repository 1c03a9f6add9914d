/**
 * Finds the pane that a person means. Compares full names instead of asking tmux: tmux also accepts the beginning of a
 * name, and if nothing matches, it takes the pane that was used last.
 */
import type { TmuxAccess } from './access.ts'
import { runTmux, TmuxError } from './access.ts'
import type { Pane } from './pane.ts'
import { findPane } from './pane.ts'

export interface FoundTarget {
  /** `undefined`: no pane has that name, or more than one. */
  readonly pane: Pane | undefined
  /** The full names of all panes. */
  readonly targets: readonly string[]
}

export async function findTarget(access: TmuxAccess, target: string): Promise<FoundTarget> {
  const places = await listPlaces(access)
  const meant = places.filter((place) => namesOf(place).includes(target))
  const [id, ...others] = new Set(meant.map(({ paneId }) => paneId))
  const pane = id === undefined || others.length > 0 ? undefined : await findPane(access, id)
  return { pane, targets: places.map(({ session, window, pane: index }) => `${session}:${window}.${index}`) }
}

/** The place of a pane. A window, with its panes, may be in several sessions. */
interface Place {
  readonly paneId: string
  readonly windowId: string
  readonly sessionId: string
  readonly pane: string
  readonly window: string
  readonly session: string
  readonly windowName: string
  /** It is the active pane of its window; its window is the active one of its session. */
  readonly isActive: boolean
  readonly isWindowActive: boolean
}

const fields = [
  'pane_id',
  'window_id',
  'session_id',
  'pane_index',
  'window_index',
  'session_name',
  'window_name',
  'pane_active',
  'window_active',
]

async function listPlaces(access: TmuxAccess): Promise<readonly Place[]> {
  const format = fields.map((name) => `#{${name}}`).join('\n')
  const lines = (await runUnlessEmpty(access, ['list-panes', '-a', '-F', format])).split('\n')
  return Array.from({ length: Math.floor(lines.length / fields.length) }, (_, index) => {
    const [paneId = '', windowId = '', sessionId = '', pane = '', window = '', session = '', windowName = '', ...rest] =
      lines.slice(index * fields.length, (index + 1) * fields.length)
    const [isActive, isWindowActive] = rest.map((flag) => flag === '1')
    const at = { paneId, windowId, sessionId, pane, window, session, windowName }
    return { ...at, isActive: isActive === true, isWindowActive: isWindowActive === true }
  })
}

async function runUnlessEmpty(access: TmuxAccess, command: readonly string[]): Promise<string> {
  try {
    return (await runTmux(access, [command])).toString()
  } catch (error) {
    if (error instanceof TmuxError && error.isWithoutServer) return ''
    throw error
  }
}

/** All full names under which tmux knows the pane. */
function namesOf(place: Place): readonly string[] {
  const { paneId, windowId, sessionId, session } = place
  const sessions = [session, `=${session}`, sessionId]
  const windows = sessions.flatMap((name) => [`${name}:${place.window}`, `${name}:${place.windowName}`])
  const shown = place.isWindowActive ? sessions.flatMap((name) => [name, `${name}:`]) : []
  const around = [...windows, ...shown, windowId]
  return [paneId, ...around.map((name) => `${name}.${place.pane}`), ...(place.isActive ? around : [])]
}
