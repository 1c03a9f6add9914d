/**
 * Waits for the first hook of an agent in a terminal. Hooks can be missing without a word, so until one has run, nothing
 * shows that the policy covers the agent's own tools.
 */
import type { Governed } from '../../api/session.ts'
import type { CompanionContext } from './companion.ts'

export interface SignOfLife extends Disposable {
  readonly isSeen: boolean
  /** Why the session does not go on without its hooks. */
  readonly fault: string | undefined
  /** What people are told while no hook has run. */
  readonly governed: Governed
  /** A hook has run. */
  note(): void
}

export interface SignOfLifeOptions extends Pick<CompanionContext, 'session' | 'terminal' | 'isNew' | 'onChange'> {
  readonly notSeenYet: Governed
  readonly hooksAreOff: Governed
}

/** From the start of the program to its first hook, with the questions that it asks before. */
const withinMs = 120_000

export function awaitSignOfLife(options: SignOfLifeOptions): SignOfLife {
  const { session, terminal, isNew, onChange, notSeenYet, hooksAreOff } = options
  let isSeen = false
  let isLate = false
  let fault: string | undefined

  /** With `own_tools: required`, the session must not go on without the gate. */
  function demandHooks(): void {
    if (isSeen) return
    isLate = true
    if (session.template?.own_tools === 'required') {
      fault = `The session was stopped: ${hooksAreOff.reason}`
      terminal.signal('SIGTERM')
    }
    onChange()
  }
  const late = isNew ? setTimeout(demandHooks, withinMs) : undefined
  late?.unref()

  return {
    get isSeen() {
      return isSeen
    },
    get fault() {
      return fault
    },
    get governed() {
      return isLate ? hooksAreOff : notSeenYet
    },
    note() {
      isSeen = true
    },
    [Symbol.dispose]: () => clearTimeout(late),
  }
}
