/**
 * Waits for the first hook of an agent in a terminal. Hooks can fail silently, so until one has run, nothing shows that
 * the policy covers the agent's own tools.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Governed } from '../../api/session.ts'
import type { CompanionContext } from './companion.ts'

export interface SignOfLife extends Disposable {
  readonly isSeen: boolean
  /** Why the session was stopped for lack of its hooks. */
  readonly fault: string | undefined
  /** Shown to people while no hook has run. */
  readonly governed: Governed
  /** A hook has run. */
  note(): void
}

export interface SignOfLifeOptions extends Pick<CompanionContext, 'session' | 'terminal' | 'isNew' | 'onChange'> {
  readonly notSeenYet: Governed
  readonly hooksAreOff: Governed
  /** Whether the screen shows a question that the agent asks only after a hook. */
  showsQuestion(): boolean
}

/** From the start of the program to its first hook, with the questions that it asks before. */
const withinMs = 120_000
const lookEveryMs = 500

export function awaitSignOfLife(options: SignOfLifeOptions): SignOfLife {
  const { session, terminal, isNew, onChange, notSeenYet, hooksAreOff, showsQuestion } = options
  /** Tells the next hub that the hooks do not run. */
  const marker = join(session.directory, 'hooks-missing')
  let isSeen = false
  let isMissed = existsSync(marker)
  let isLate = isMissed
  let fault: string | undefined

  /** With `own_tools: required`, the session must not continue without the gate. */
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
  const looking = isNew ? setInterval(look, lookEveryMs) : undefined
  looking?.unref()

  /**
   * If an agent asks before any hook has run, its hooks do not run. A later message comes from another program, such as
   * one that the person has just allowed, so it does not count.
   */
  function look(): void {
    if (isSeen || isMissed) return clearInterval(looking)
    if (!showsQuestion()) return
    isMissed = true
    try {
      writeFileSync(marker, '', { mode: 0o600 })
    } catch {
      // On a full disk, the next hub does not learn of it.
    }
    demandHooks()
  }

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
      isSeen ||= !isMissed
    },
    [Symbol.dispose]() {
      clearTimeout(late)
      clearInterval(looking)
    },
  }
}
