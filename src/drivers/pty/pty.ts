/** The driver for every program in a terminal: it types, and reads what the screen shows. */
import { basename } from 'node:path'
import type { Template } from '../../api/template.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { PersonsEnvironment } from '../../config/config.ts'
import type { Terminal, Terminals } from '../../terminal/terminal.ts'
import type { Companions } from '../port/companion.ts'
import type { Driver, Run, RunSession, RunSpec } from '../port/driver.ts'
import type { ActivityRules } from './activity/activity.ts'
import { createProgramRules, loadActivityRules } from './activity/activity.ts'
import { createPtyRun } from './pty-run.ts'
import { createTmuxPanes, personsTmux } from './tmux-panes.ts'

export interface PtyDriverOptions {
  readonly terminals: Terminals
  readonly environment: PersonsEnvironment
  /** Folders with activity rules. The first folder that has a file of the name counts. */
  readonly rulePlaces: readonly string[]
  /** Redacts the reason for waiting: it may come from a command line, and notifications send it outside. */
  readonly redact: (text: string) => string
  readonly companions?: Companions
  readonly log: Log
}

export function createPtyDriver(options: PtyDriverOptions): Driver {
  const { terminals, environment, rulePlaces, redact, companions = {}, log } = options

  const programRules = createProgramRules(rulePlaces, (program, error) =>
    log.warn({ program, error: messageOf(error) }, 'the activity rules of a program cannot be used'),
  )

  /** Without readable rules, only the agent's reports and quiet time show its activity. */
  async function rulesOf({ name, activity }: Template): Promise<ActivityRules | undefined> {
    try {
      return activity === undefined ? undefined : await loadActivityRules(rulePlaces, activity)
    } catch (error) {
      log.warn({ template: name, error: messageOf(error) }, 'a template’s activity rules cannot be used')
      return undefined
    }
  }

  async function toRun(session: RunSession, terminal: Terminal, firstPrompt?: RunSpec['firstPrompt']): Promise<Run> {
    const { template } = session
    const loadCompanion = template?.agent && terminal.status.is === 'running' ? companions[template.agent] : undefined
    const own = template && basename(template.command)
    return createPtyRun(session, terminal, {
      rules: template && terminal.status.is === 'running' ? rulesOf(template) : undefined,
      // The rules that a template names win over the rules with the name of its program.
      rulesOf: async (program) => (program === own ? undefined : programRules(program)),
      redact,
      firstPrompt,
      openCompanion: await loadCompanion?.(),
    })
  }

  /** An agent without a companion cannot ask the hub. */
  function assertHasGate({ name, own_tools: wanted, agent }: Template): void {
    if (wanted !== 'required' || agent === undefined || companions[agent]) return
    throw new HubError(
      'invalid',
      `The template "${name}" requires that the policy covers the own tools of its agent ("own_tools"), but in this mode they do not ask the hub. Choose another "mode".`,
    )
  }

  return {
    name: 'pty',
    abilities: { terminal: true, steer: false, interrupt: false, questions: false },
    async start(spec) {
      const { id, name, backend, program, size, firstPrompt } = spec
      assertHasGate(spec.template)
      const tmux = backend === 'tmux' ? { tmux: { ...(await personsTmux(environment)), session: name } } : {}
      return toRun(spec, await terminals.start(id, { ...program, ...size, ...tmux }), firstPrompt)
    },
    async adopt(session) {
      const terminal = await terminals.adopt(session.id)
      return terminal && toRun(session, terminal)
    },
    mayBeRunning: () => terminals.mayBeRunning(),
    tmux: createTmuxPanes({ environment, terminals, toRun }),
  }
}
