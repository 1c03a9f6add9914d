/** Answers a selection menu: moves its marker to the choice, step by step, then presses Enter. */
import { HubError } from '../../base/hub-error.ts'
import type { Menu, Terminal } from '../../terminal/terminal.ts'
import { encodeKeys, findMenu } from '../../terminal/terminal.ts'
import { waitForScreen } from './wait-for-screen.ts'
import type { Typed } from './typing.ts'

export interface AnswerOptions {
  readonly enter: boolean
  readonly signal: AbortSignal
}

/** A program may take this long to show that the marker has moved. */
const moveMs = 5_000
/** A key that arrives this soon after a redraw may be dropped. */
const settleMs = 100

export function menuOn(terminal: Terminal): Menu | undefined {
  return findMenu(terminal.screen.text().split('\n'))
}

/** Arrows and Enter work in all menus. Number keys differ from menu to menu, and some menus have none. */
export async function answerMenu(
  terminal: Terminal,
  menu: Menu,
  choice: number,
  { enter, signal }: AnswerOptions,
): Promise<Typed> {
  const typedAt = terminal.offset
  let bytes = 0
  function press(key: string): void {
    const encoded = encodeKeys(key, terminal.screen.modes).bytes
    terminal.write(encoded)
    bytes += encoded.length
  }
  let at = menu.marked
  while (at !== choice) {
    press(at < choice ? 'Down' : 'Up')
    const moved = await awaitMove(terminal, menu, at, signal)
    // The marker may skip lines that only look like choices, but it never moves back.
    if (moved === undefined || Math.abs(choice - moved) >= Math.abs(choice - at)) {
      throw new HubError('conflict', cannotReach(menu, choice))
    }
    at = moved
  }
  const enteredAt = terminal.offset
  if (enter) press('Enter')
  return { bytes, typedAt, enteredAt, echo: 'shown', isEntered: enter }
}

/** The new position of the marker; `undefined` if it has not moved, or another menu is on the screen. */
async function awaitMove(terminal: Terminal, menu: Menu, at: number, signal: AbortSignal): Promise<number | undefined> {
  let marked: number | undefined
  await waitForScreen(terminal, { timeoutMs: moveMs, signal }, ({ quietMs }) => {
    const now = menuOn(terminal)
    marked = now && isSame(now, menu) && now.marked !== at ? now.marked : undefined
    if (marked === undefined) return 'not-yet'
    return quietMs >= settleMs ? 'met' : { againInMs: settleMs - quietMs }
  })
  return marked
}

function isSame(one: Menu, other: Menu): boolean {
  return JSON.stringify(one.choices) === JSON.stringify(other.choices)
}

function cannotReach({ choices }: Menu, choice: number): string {
  return `The menu did not move to "${choices[choice]?.label}", so the hub did not press Enter. Look at it with read_screen and answer it with send_keys.`
}
