/** Terminals in a directory that is deleted with the test. Their programs end with it. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ProgramSpec, Terminal, Terminals, TerminalsOptions } from '../../src/terminal/terminal.ts'
import { createTerminals } from '../../src/terminal/terminal.ts'
import { endProgram } from './held-program.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

export interface TestTerminals {
  readonly directory: string
  /** Opens the same directory as a new hub does. */
  open(options?: Partial<TerminalsOptions>): Terminals
  start(id: string, program: ProgramSpec): Promise<Terminal>
  /** Adopts a terminal as a new hub does. */
  adopt(id: string): Promise<Terminal>
}

export function testTerminals(defaults: Partial<TerminalsOptions> = {}): TestTerminals {
  const directory = temporaryDirectory()
  const open = (options: Partial<TerminalsOptions> = {}) =>
    createTerminals({
      directory: join(directory, 'terminals'),
      socketDirectory: join(directory, 'run'),
      version: 'test',
      journal: { segmentBytes: 4 * 1024 * 1024, maxBytes: 64 * 1024 * 1024 },
      scrollbackLines: 2_000,
      ...defaults,
      ...options,
    })

  function released(terminal: Terminal): Terminal {
    onTestFinished(() => terminal.release())
    if (terminal.status.is === 'running') endAfterTest(terminal.status.pid)
    return terminal
  }

  return {
    directory,
    open,
    start: async (id, program) => released(await open().start(id, program)),
    async adopt(id) {
      const terminal = await open().adopt(id)
      if (!terminal) throw new Error(`there is no terminal ${id}`)
      return released(terminal)
    },
  }
}

function endAfterTest(pid: number): void {
  onTestFinished(() => endProgram(pid))
}

/** Waits until the visible rows contain the text, and returns them. */
export async function untilShown(terminal: Terminal, text: string): Promise<string> {
  return until(() => {
    const shown = shownOn(terminal)
    return shown.includes(text) && shown
  })
}

export function shownOn({ screen }: Terminal): string {
  return screen.text()
}

export function untilEnded(terminal: Terminal): Promise<Exclude<Terminal['status'], { is: 'running' }>> {
  return until(async () => {
    const { status } = terminal
    if (status.is === 'running') return undefined
    await terminal.screen.settled()
    return status
  })
}
