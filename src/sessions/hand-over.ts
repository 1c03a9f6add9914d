/**
 * Hands a thread that another agent began to the agent of a new session, in the richest form that this agent takes,
 * before its program starts. The session then continues the thread.
 */
import { mkdir } from 'node:fs/promises'
import type { Template } from '../api/template.ts'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { EarlierThread, HandedOver, HandOverPlace, HandOvers } from '../drivers/drivers.ts'
import { writeEarlierText } from './earlier-text.ts'
import { toLaunch } from './program.ts'
import type { BesideSession } from './run-agent-program.ts'
import { runAgentProgram } from './run-agent-program.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionThreads } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'

export interface HandOverOptions {
  readonly threads: Pick<SessionThreads, 'attach' | 'earlier'>
  readonly registry: Pick<SessionRegistry, 'change'>
  readonly handOvers: HandOvers
}

export interface HandOverSpec {
  readonly thread: string
  readonly template: Template
  readonly prefix: readonly string[]
  readonly env: ProgramEnvironment
  readonly sessionDir: string
  readonly beside: BesideSession
}

export interface HandedThread extends HandedOver {
  /** For a driver that hands it over itself. */
  readonly earlier?: EarlierThread
  /** The agent has it as a conversation of its own. False: it gets the thread as a text before its first prompt. */
  readonly isConversation: boolean
}

export type HandOverThread = (record: SessionRecord, spec: HandOverSpec) => Promise<HandedThread>

/** The agent's own program may take long to start. */
const programMs = 120_000
const mostOutputBytes = 16 * 1024 * 1024

export function createHandOver({ threads, registry, handOvers }: HandOverOptions): HandOverThread {
  return async (record, spec) => {
    await mkdir(spec.sessionDir, { recursive: true, mode: 0o700 })
    const handed = await prepare(record, spec, await threads.earlier(spec.thread))
    const { id, name } = record
    if (handed.isConversation) await registry.change(id, () => ({ conversation: { id: handed.conversation } }))
    await threads.attach(spec.thread, { id, name }, handed.conversation)
    return handed
  }

  async function prepare(record: SessionRecord, spec: HandOverSpec, earlier: EarlierThread): Promise<HandedThread> {
    switch (wayOf(spec)) {
      case 'store':
        return { isConversation: true, conversation: record.conversation?.id ?? record.id }
      case 'driver':
        return { isConversation: true, earlier }
      case 'files': {
        const handOver = await handOvers[spec.template.agent!]!()
        return { isConversation: true, ...(await handOver(earlier, placeOf(record, spec))) }
      }
      case 'text':
        await writeEarlierText(spec.sessionDir, earlier.asText())
        return { isConversation: false }
    }
  }

  /** Where the agent finds the thread. */
  function wayOf({ template: { agent, driver }, prefix }: HandOverSpec): 'store' | 'driver' | 'files' | 'text' {
    if (driver === 'model') return 'store'
    if (agent === 'codex' && driver === 'codex') return 'driver'
    // Gemini CLI takes a file only in its terminal. Behind a prefix such as bwrap or ssh, the agent's files are elsewhere.
    const takesFiles = agent !== undefined && agent in handOvers && !(agent === 'gemini' && driver === 'acp')
    return takesFiles && prefix.length === 0 ? 'files' : 'text'
  }
}

function placeOf({ workspacePath, agentArgs }: SessionRecord, spec: HandOverSpec): HandOverPlace {
  const { template, prefix, env, sessionDir, beside } = spec
  return {
    directory: sessionDir,
    workspacePath,
    env,
    model: agentArgs[agentArgs.indexOf('--model') + 1 || agentArgs.length],
    async run({ args, env: more, files, needsNetwork = false }) {
      const { file, args: all } = toLaunch({ command: template.command, args }, prefix, env)
      const found = findProgram(file, env['PATH'] ?? '', workspacePath)
      const program = { file: found, args: all, cwd: workspacePath, env: { ...env, ...more } }
      try {
        const limits = { timeout: programMs, maxBuffer: mostOutputBytes }
        return await runAgentProgram(program, beside, { files: files ?? [], needsNetwork, ...limits })
      } catch (error) {
        const why = `${template.command} ${args[0]} failed, so the thread was not handed over: ${messageOf(error)}`
        throw new HubError('unavailable', why.slice(0, 500), { cause: error })
      }
    },
  }
}
