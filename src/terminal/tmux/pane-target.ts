/**
 * Which pane a person means. By comparing names, not by tmux's own reading of a target: that takes the beginning of a
 * name for the name, and where nothing fits the pane that somebody was in last.
 */
import type { TmuxAccess } from './access.ts'
import { askTmux, TmuxError } from './access.ts'
import type { Pane } from './pane.ts'
import { findPane } from './pane.ts'

export interface FoundTarget {
  /** `undefined`: none is called so, or more than one. */
  readonly pane: Pane | undefined
  /** What would have been found, each by its full name. */
  readonly targets: readonly string[]
}

export async function findTarget(access: TmuxAccess, target: string): Promise<FoundTarget> {
  const places = await listPlaces(access)
  const meant = places.filter((place) => namesOf(place).includes(target))
  const [id, ...others] = new Set(meant.map(({ paneId }) => paneId))
  const pane = id === undefined || others.length > 0 ? undefined : await findPane(access, id)
  return { pane, targets: places.map(({ session, window, pane: index }) => `${session}:${window}.${index}`) }
}

/** Where a pane is. A window may be in several sessions, and its panes with it. */
interface Place {
  readonly paneId: string
  readonly windowId: string
  readonly sessionId: string
  readonly pane: string
  readonly window: string
  readonly session: string
  readonly windowName: string
  /** The one of its window, and that of its session, that are shown there. */
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
  const lines = (await askUnlessEmpty(access, ['list-panes', '-a', '-F', format])).split('\n')
  return Array.from({ length: Math.floor(lines.length / fields.length) }, (_, index) => {
    const [paneId = '', windowId = '', sessionId = '', pane = '', window = '', session = '', windowName = '', ...rest] =
      lines.slice(index * fields.length, (index + 1) * fields.length)
    const [isActive, isWindowActive] = rest.map((flag) => flag === '1')
    const at = { paneId, windowId, sessionId, pane, window, session, windowName }
    return { ...at, isActive: isActive === true, isWindowActive: isWindowActive === true }
  })
}

async function askUnlessEmpty(access: TmuxAccess, command: readonly string[]): Promise<string> {
  try {
    return (await askTmux(access, [command])).toString()
  } catch (error) {
    if (error instanceof TmuxError && error.isWithoutServer) return ''
    throw error
  }
}

/** All that tmux would call it, in full. */
function namesOf(place: Place): readonly string[] {
  const { paneId, windowId, sessionId, session } = place
  const sessions = [session, `=${session}`, sessionId]
  const windows = sessions.flatMap((name) => [`${name}:${place.window}`, `${name}:${place.windowName}`])
  const shown = place.isWindowActive ? sessions.flatMap((name) => [name, `${name}:`]) : []
  const around = [...windows, ...shown, windowId]
  return [paneId, ...around.map((name) => `${name}.${place.pane}`), ...(place.isActive ? around : [])]
}
