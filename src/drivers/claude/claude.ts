/** The driver for Claude Code without a terminal: stream-json with its control protocol. */
import type { PipedPrograms } from '../../terminal/terminal.ts'
import type { Driver } from '../port/driver.ts'

export interface ClaudeDriverOptions {
  readonly programs: PipedPrograms
}

export function createClaudeDriver({ programs }: ClaudeDriverOptions): Driver {
  return {
    name: 'claude',
    abilities: { terminal: false, steer: true, interrupt: true, questions: true },
    async start(spec) {
      const { createClaudeRun } = await loadRun()
      return createClaudeRun(spec, await programs.start(spec.id, spec.program))
    },
    async adopt(session) {
      const program = await programs.adopt(session.id)
      return program && (await loadRun()).createClaudeRun(session, program)
    },
  }
}

/** Loaded with the first session, because it would slow the start of every hub. */
const loadRun = () => import('./claude-run.ts')
