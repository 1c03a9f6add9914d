/**
 * The driver for Codex: `codex app-server` in a holder, and, in mode `both`, its own interface in a terminal, connected
 * to the same server.
 */
import { HubError } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { PipedProgram, PipedPrograms } from '../../terminal/terminal.ts'
import type { Driver, RunSession, RunSpec } from '../port/driver.ts'
import { freePort } from '../port/free-port.ts'
import { stopPipedProgram } from '../port/stop-piped-program.ts'
import type { OpenedRun } from './codex-run.ts'
import { createEndedRun } from './ended-run.ts'
import { addressOf, listenArguments, tokenOf } from './server-program.ts'

export interface CodexDriverOptions {
  readonly servers: PipedPrograms
  /** Runs the interface, and knows how to type into it and how to end it. */
  readonly terminals: Pick<Driver, 'start' | 'adopt'>
  /** A secret of the hub that outlives it. */
  readonly key: Buffer
  readonly log: Log
}

/** Only the environment of the interface has this variable. A command of the agent runs in the server's environment. */
const tokenVariable = 'SIGNALBOX_CODEX_TOKEN'

export function createCodexDriver({ servers, terminals, key, log }: CodexDriverOptions): Driver {
  async function open(session: RunSession, server: PipedProgram, spec?: RunSpec): Promise<OpenedRun> {
    const address = { url: await addressOf(server, session.directory), token: tokenOf(key, session.id) }
    const resume = session.isResumed ? session.conversation : undefined
    // Loaded with the first session, because it would slow the start of every hub.
    const { openCodexRun } = await import('./codex-run.ts')
    return openCodexRun({ session, server, address, log }, spec && { resume, earlier: spec.earlier })
  }

  async function startInterface(spec: RunSpec, server: PipedProgram, run: OpenedRun): Promise<void> {
    const { program } = spec
    const { agent: _, ...template } = spec.template
    const url = await addressOf(server, spec.directory)
    run.show(
      await terminals.start({
        ...spec,
        template,
        program: {
          ...program,
          args: [...wordsBefore(program.args), ...interfaceArguments(url, run.thread)],
          env: { ...program.env, [tokenVariable]: tokenOf(key, spec.id) },
          // A sandbox of its own: a command of the agent must not find the token in the environment of the interface.
          sandbox: program.sandbox?.reaching(Number(new URL(url).port)),
        },
        firstPrompt: 'none',
      }),
    )
  }

  return {
    name: 'codex',
    abilities: { terminal: true, steer: true, interrupt: true, questions: true },
    async start(spec) {
      const { id, program, mode } = spec
      wordsBefore(program.args)
      // In a separate network, the hub and the interface reach the server only at a port that is chosen before its
      // start.
      const port = program.sandbox?.hasOwnNetwork ? await freePort() : 0
      const args = [...serverArguments(program.args), ...listenArguments(tokenOf(key, id), port)]
      const server = await servers.start(id, { ...program, args, sandbox: program.sandbox?.serving(port) })
      let run: OpenedRun | undefined
      try {
        run = await open(spec, server, spec)
        if (mode !== 'structured') await startInterface(spec, server, run)
        return run
      } catch (error) {
        await stopPipedProgram(server).catch(() => {})
        if (run) run[Symbol.dispose]()
        else server.release()
        throw error
      }
    },
    async adopt(session) {
      const server = await servers.adopt(session.id)
      if (!server) return undefined
      const shown = session.mode === 'structured' ? undefined : await terminals.adopt(withoutAgent(session))
      if (session.mode !== 'structured' && !shown) {
        // The hub was killed before it started the interface.
        await stopPipedProgram(server).finally(() => server.release())
        return undefined
      }
      if (server.status.is !== 'running') return createEndedRun(server, shown)
      const run = await open(session, server)
      if (shown) run.show(shown)
      return run
    },
  }
}

/** The words of the command line before `app-server`: none, or a program that runs Codex, such as bwrap. */
function wordsBefore(args: readonly string[]): readonly string[] {
  const at = args.indexOf('app-server')
  if (at >= 0) return args.slice(0, at)
  throw new HubError(
    'invalid',
    'The driver "codex" needs a template whose arguments run "codex app-server". In the mode "terminal" another command can run, but the policy does not cover it.',
  )
}

/** The server takes the model only as a setting. */
function serverArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const before = args[index - 1]
    const isModel = (word: string | undefined) => word === '-m' || word === '--model'
    if (isModel(arg)) return '-c'
    if (isModel(before)) return `model=${JSON.stringify(arg)}`
    return arg.startsWith('--model=') ? ['-c', `model=${JSON.stringify(arg.slice('--model='.length))}`] : arg
  })
}

function interfaceArguments(url: string, thread: string): readonly string[] {
  const remote = ['--remote', url, '--remote-auth-token-env', tokenVariable]
  return ['--no-alt-screen', '-c', 'check_for_update_on_startup=false', ...remote, 'resume', thread]
}

/** The terminal driver would look for the agent's hooks and records, which the server replaces. */
function withoutAgent(session: RunSession): RunSession {
  if (!session.template) return session
  const { agent: _, ...template } = session.template
  return { ...session, template }
}
