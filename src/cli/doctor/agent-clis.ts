import { existsSync, mkdtempDisposableSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { z } from 'zod'
import { onPath } from '../../base/find-program.ts'
import { probeSandbox, reachOf } from '../../sandbox/sandbox.ts'
import type { Config, Environment } from '../../config/config.ts'
import { ask } from '../hub-client/ask-hub.ts'
import { findHub, runningHub } from '../hub-client/hub-address.ts'
import { createHubClient } from '../hub-client/hub-client.ts'
import { redactForeign } from '../command/redactor.ts'
import { knownAgents } from '../command/known-agents.ts'
import type { ProgramOutcome } from '../command/run-program.ts'
import { runProgram } from '../command/run-program.ts'
import { reasonOf } from '../command/system-error.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note } = findingsAbout('agents')

/** Gemini needs four seconds to print its version, even on an idle machine. */
export const versionTimeoutMs = 20_000

export interface AgentCliQuestion {
  readonly env: Environment
  readonly timeoutMs: number
  /** Names the hub to ask, if one runs: sessions start with the PATH of the hub, not with the person's. */
  readonly config?: Config | undefined
}

/** A missing agent is never an error, because none is required. */
export async function checkAgentClis({ config, ...given }: AgentCliQuestion): Promise<Finding[]> {
  const hub = await askHubForAgents(config)
  const findings = await Promise.all(
    knownAgents.map(async (cli) => compare(cli.program, await checkAgentCli(cli, given), hub.found?.get(cli.program))),
  )
  return [...(hub.problem ? [hub.problem] : []), ...findings]
}

const listSchema = z.object({ templates: z.array(z.object({ name: z.string(), available: z.boolean() })) })

interface HubAgents {
  /** By program, which is also the name of its template. `undefined` if no hub runs. */
  readonly found?: ReadonlyMap<string, boolean>
  readonly problem?: Finding
}

async function askHubForAgents(config: Config | undefined): Promise<HubAgents> {
  try {
    if (!config || !runningHub(config.home)) return {}
    using hub = createHubClient(findHub(config, {}))
    const { templates } = listSchema.parse(await ask(hub, 'list_templates', { hidden: true }))
    return { found: new Map(templates.map(({ name, available }) => [name, available])) }
  } catch (error) {
    const says = `the running hub did not say which agents it finds: ${reasonOf(error)}`
    return { problem: note(says, 'the next lines are about your own PATH') }
  }
}

function compare(program: string, here: Finding, isFoundByHub: boolean | undefined): Finding {
  if (isFoundByHub === true && here.is !== 'ok') return ok(`the running hub finds ${program}`)
  if (isFoundByHub !== false || here.is !== 'ok') return here
  return note(
    `${here.says} is installed, but not on the PATH of the running hub`,
    'restart the hub from a shell that finds it, or run "signalbox service status" if it is a service',
  )
}

async function checkAgentCli(
  { program, npmPackage }: (typeof knownAgents)[number],
  { env, timeoutMs }: { env: Environment; timeoutMs: number },
): Promise<Finding> {
  const outcome = await askVersion(program, { env, timeoutMs })
  const reinstall = `reinstall it with "npm install -g ${npmPackage}"; it ran in a sandbox without your home, where sandboxes work`
  switch (outcome.is) {
    case 'missing':
      return note(`${program} is not installed`, `"npm install -g ${npmPackage}", if you want to use it`)
    case 'timed-out':
      return note(`${program} did not print its version within ${timeoutMs / 1000} s`, reinstall)
    case 'failed':
      return note(`${program} does not start: ${redactForeign(outcome.reason)}`, reinstall)
    case 'ended': {
      const [version] = /\d+\.\d+\.\d+\S*/.exec(outcome.output) ?? []
      if (outcome.code === 0 && version !== undefined) return ok(`${program} ${version}`)
      const printed = outcome.output.trim().split('\n')[0] || 'nothing'
      return note(`${program} --version exited with ${outcome.code} and printed: ${redactForeign(printed)}`, reinstall)
    }
  }
}

/** An agent may have written the program: in a sandbox it sees nothing but its own files, and has no network. */
async function askVersion(
  program: string,
  { env, timeoutMs }: { env: Environment; timeoutMs: number },
): Promise<ProgramOutcome> {
  const searchPath = env['PATH'] ?? ''
  const file = onPath(program, searchPath)
  if (file === undefined)
    return isThere(program, searchPath) ? { is: 'failed', reason: 'permission denied' } : { is: 'missing' }
  using notes = mkdtempDisposableSync(join(tmpdir(), 'signalbox-'))
  const here = await probeSandbox(notes.path)
  if (here.is === 'missing') {
    return await runProgram(file, ['--version'], {
      env: { PATH: searchPath, HOME: env['HOME'] },
      within: 'person',
      timeoutMs,
    })
  }
  // A small script may start the real program beside it.
  const beside = realpathSync(dirname(file))
  const isWide = `${env['HOME'] ?? '/'}/`.startsWith(`${beside}/`)
  const within = reachOf({ read: isWide ? [] : [beside], write: [], programs: [file], searchPath }, here)
  return await runProgram(file, ['--version'], { env: { PATH: searchPath, HOME: '/tmp' }, within, timeoutMs })
}

function isThere(program: string, searchPath: string): boolean {
  return searchPath.split(delimiter).some((directory) => existsSync(join(directory, program)))
}
