/** The driver for agents that speak the Agent Client Protocol on their standard input and output. */
import type { Log } from '../../base/log.ts'
import type { PipedPrograms } from '../../terminal/terminal.ts'
import type { Driver, RunSession, RunSpec } from '../port/driver.ts'
import { gateOf } from './gate-of.ts'
import { chatMinutePassed } from './gemini-chats.ts'
import { hubServer } from './own-tool.ts'
import { firstPlace, readPlace } from './place.ts'

export interface AcpDriverOptions {
  readonly pipes: PipedPrograms
  readonly log: Log
}

export function createAcpDriver({ pipes, log }: AcpDriverOptions): Driver {
  return {
    name: 'acp',
    abilities: { terminal: false, steer: false, interrupt: true, questions: false },
    async start(spec) {
      const governed = await gateOf(spec.template)
      // A resumed session takes over the thread of the earlier session at once, even before the agent says something.
      if (spec.isResumed && spec.conversation !== undefined) await spec.thread.append(spec.conversation, [])
      const { createAcpRun } = await loadRun()
      const program = await pipes.start(spec.id, spec.program)
      const run = createAcpRun({ session: spec, program, place: firstPlace, governed, log })
      if (spec.isResumed && spec.template.agent === 'gemini')
        await chatMinutePassed(spec.program.env, spec.conversation)
      await run.open(...openingOf(spec))
      return run
    },
    async adopt(session) {
      const program = await pipes.adopt(session.id)
      if (!program) return undefined
      const { createAcpRun } = await loadRun()
      const place = readPlace(await session.thread.progress())
      return createAcpRun({ session, program, place, governed: await gateOf(session.template), log })
    },
  }
}

/** Loaded with the first session, because it would slow the start of every hub. */
const loadRun = () => import('./acp-run.ts')

/** The agent gets the hub as an MCP server, with the token of its session. */
function openingOf(spec: RunSpec): ['session/new' | 'session/load', object] {
  const { SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token } = spec.program.env
  const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
  const common = { cwd: spec.workspacePath, mcpServers: [{ type: 'http', name: hubServer, url, headers }] }
  const loaded = loadedBy(spec)
  return loaded === undefined ? ['session/new', common] : ['session/load', { ...common, sessionId: loaded }]
}

function loadedBy({ isResumed, conversation }: RunSession): string | undefined {
  return isResumed ? conversation : undefined
}
