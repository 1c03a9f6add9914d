/** Starts the program of a session, with a token of its own and without the secrets of a person. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Confined } from '../api/sandbox.ts'
import type { AvailableTemplate, Template } from '../api/template.ts'
import { inMode } from '../api/template.ts'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../config/config.ts'
import type { Run } from '../drivers/drivers.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Choice, ConfineProgram, Sandboxes } from '../sandbox/sandbox.ts'
import { keepWrittenPlaces } from './agent-files.ts'
import { expandArgs } from './conversation.ts'
import { withEarlierText } from './earlier-text.ts'
import type { HandOverThread } from './hand-over.ts'
import { hooksOverSocket } from './hooks-over-socket.ts'
import type { CommandLine } from './program.ts'
import { isOfTemplate, toLaunch } from './program.ts'
import type { BesideSession } from './run-agent-program.ts'
import type { RunningSessions } from './running.ts'
import type { SessionGits } from './session-git.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { TemplateSource } from './template-source.ts'
import type { Worktrees } from './worktrees.ts'

export interface LaunchOptions {
  readonly registry: SessionRegistry
  readonly runs: SessionRuns
  readonly handOver: HandOverThread
  readonly templates: TemplateSource
  readonly tokens: SessionTokens
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly environment: PersonsEnvironment
  readonly mcpUrl: string
  readonly hubSocket: string
  /** Whether other people can listen on the port of a hub that has ended. */
  readonly isSharedMachine: () => Promise<boolean>
  /** The command that runs `signalbox`. */
  readonly signalbox: string
  readonly sandboxes: Pick<Sandboxes, 'choose' | 'confine' | 'folderOf'>
  readonly confineProgram: ConfineProgram
  readonly worktrees: Pick<Worktrees, 'setUp'>
  readonly gits: Pick<SessionGits, 'make'>
  readonly running: Pick<RunningSessions, 'onChange'>
  readonly signals: SignalSender
  readonly stopping: AbortSignal
}

export interface LaunchExtras {
  /** Passed to the program and never stored. */
  readonly env?: ProgramEnvironment | undefined
  readonly socketPath?: string | undefined
  readonly prompt?: string | undefined
  /** The id of a thread that another agent began. */
  readonly continues?: string | undefined
}

export interface Launcher {
  /** Throws if the command cannot be run. */
  check(
    template: Template,
    record: Pick<SessionRecord, 'command' | 'args' | 'workspacePath'> & { readonly env: ProgramEnvironment },
  ): void
  /** The folder in which a session will be confined. `undefined`: it will not be. Throws if an agent may have replaced it. */
  folderOf(
    found: AvailableTemplate,
    record: Pick<SessionRecord, 'sandbox' | 'backend' | 'workspacePath'>,
  ): Promise<Folder | undefined>
  /** How the session will be confined. Throws if it must be and cannot be. */
  confinedBy(
    found: AvailableTemplate,
    record: Pick<SessionRecord, 'sandbox' | 'backend'>,
  ): Promise<Confined | undefined>
  /** How the hub runs the program of its agent, beside the session. Throws if it must be confined and cannot be. */
  beside(record: SessionRecord): Promise<BesideSession>
  start(record: SessionRecord, extras?: LaunchExtras): Promise<Run>
}

export function createLauncher(options: LaunchOptions): Launcher {
  const { registry, runs, handOver, templates, tokens, directory, environment, mcpUrl, hubSocket, signalbox } = options
  const { sandboxes, confineProgram, worktrees, gits, running, signals, stopping, isSharedMachine } = options

  async function start(record: SessionRecord, { env, socketPath, prompt, continues }: LaunchExtras): Promise<Run> {
    const { id, name, workspacePath, workspaceFolder, size } = record
    const found = templates.find(record.template)
    const template = inMode(found.template, record.mode)
    const sessionDir = join(directory, id)
    const choice = await choose(found, record)
    const chosen = choice.is === 'confined' ? choice.sandbox : undefined
    // In a network of its own, the hub is found on loopback wherever it listens.
    const url = chosen && chosen.network !== 'all' ? `http://127.0.0.1:${new URL(mcpUrl).port}/mcp` : mcpUrl
    const words = {
      workspace: workspacePath,
      session_id: id,
      session_name: name,
      session_dir: sessionDir,
      mcp_url: url,
      hooks_url: new URL('/hooks', url).href,
      mcp_socket: socketPath ?? '',
      prompt: prompt ?? '',
      signalbox,
    }
    const filled = templates.fillIn(template, words)
    const sandbox = chosen && templates.fillIn(chosen, words)
    const fill = (text: string) => templates.fillIn(text, words)
    const line = { command: record.command, args: record.args }
    const kept = await templates.seed(record.template, workspacePath, workspaceFolder)
    const files = (await isSharedMachine())
      ? hooksOverSocket(filled.session_files, { hooksUrl: words.hooks_url, signalbox })
      : filled.session_files
    await writeSessionFiles(sessionDir, files)
    const ownEnv: ProgramEnvironment = {
      ...(await environment.forPrograms()),
      ...environment.passedOn(template.env_keys),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...filled.env,
      ...env,
    }
    const setUp = await whileWanted(id, (signal) =>
      worktrees.setUp(workspacePath, {
        template: filled,
        env: ownEnv,
        session: id,
        sandbox: sandbox ?? 'off',
        outputFile: join(sessionDir, 'worktree-setup.log'),
        signal,
      }),
    )
    const git = sandbox && (await gits.make(record))
    const warning = choice.is === 'open' ? choice.warning : undefined
    const notes = [
      record.lastMessage,
      kept.length > 0 ? keptFiles(kept, template) : undefined,
      setUp,
      warning,
      git?.note,
    ]
    const lastMessage = notes.filter((note) => note !== undefined).join(' ')
    const token = await tokens.issue(record)
    const changed = await registry.change(id, () => ({
      tokenId: token.id,
      ...(lastMessage !== '' && { lastMessage }),
      confined: confinedIn(choice),
    }))
    // A queued session may get a sandbox that could not be made before. Then its connectors need consent.
    if ((record.confined === undefined) !== (sandbox === undefined)) signals.emit('bindings-changed', { session: id })
    if (!changed || changed.isStopAsked) throw new HubError('conflict', `"${name}" was stopped before it started.`)
    const programEnv: ProgramEnvironment = {
      ...ownEnv,
      SIGNALBOX_URL: url,
      SIGNALBOX_HUB_SOCKET: hubSocket,
      SIGNALBOX_TOKEN: token.text,
      ...(socketPath !== undefined && { SIGNALBOX_MCP_SOCKET: socketPath }),
    }
    const handed =
      continues === undefined
        ? undefined
        : await handOver(record, {
            thread: continues,
            template,
            prefix: filled.prefix,
            env: ownEnv,
            sessionDir,
            beside: { session: id, sandbox: sandbox ?? 'off', confine: confineProgram },
          })
    const launched = isOfTemplate(line, template)
      ? { command: fill(line.command), args: line.args && expandArgs(line.args, template, record, { fill, handed }) }
      : line
    const launch = toLaunch(launched, filled.prefix, programEnv)
    const file = findProgram(launch.file, programEnv['PATH'] ?? '', workspacePath)
    const confinement =
      sandbox &&
      (await sandboxes.confine(sandbox, {
        program: { file, env: programEnv },
        workspace: workspacePath,
        git: git?.mounts ?? [],
        workspaceFolder,
        files: files.map(({ path }) => join(sessionDir, path)),
        hub: { session: id, mcpSocket: socketPath, token: token.text },
      }))
    if (confinement) await keepWrittenPlaces(sessionDir, confinement.written)
    const run = await runs.drivers.find(record.driver).start({
      ...runs.describe(changed),
      ...(handed?.isConversation && { conversation: handed.conversation, earlier: handed.earlier }),
      ...(handed && { isResumed: handed.isConversation }),
      template,
      program: { file, args: launch.args, cwd: workspacePath, env: programEnv, sandbox: confinement },
      size,
      firstPrompt:
        prompt === undefined ? 'none' : isOfTemplate(line, template) && takesPrompt(line) ? 'argument' : 'given',
    })
    return withEarlierText(run, sessionDir)
  }

  function choose(
    { template, isSandboxShipped }: AvailableTemplate,
    { sandbox, backend }: Pick<SessionRecord, 'sandbox' | 'backend'>,
  ) {
    const { name } = template
    return sandboxes.choose({
      asked: sandbox,
      template: { name, sandbox: template.sandbox, isSandboxShipped },
      backend,
    })
  }

  /** Aborts the task if the session or the hub is to be stopped. */
  async function whileWanted<Result>(id: string, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stopped = new AbortController()
    const look = async () => {
      if ((await registry.current(id))?.isStopAsked) stopped.abort()
    }
    const stopListening = running.onChange(id, () => void look().catch(() => {}))
    try {
      return await task(AbortSignal.any([stopped.signal, stopping]))
    } finally {
      stopListening()
    }
  }

  return {
    check(template, { command, args, workspacePath, env }) {
      const { file } = toLaunch({ command, args }, template.prefix, env)
      // The template may put this file there.
      if (file.includes('/') && !isAbsolute(file) && template.include_files.length > 0) return
      findProgram(file, { ...env, ...template.env }['PATH'] ?? '', workspacePath)
    },
    async beside(record) {
      const { id, name, workspacePath } = record
      const choice = await choose(templates.find(record.template), record)
      const words = { workspace: workspacePath, session_id: id, session_name: name, session_dir: join(directory, id) }
      const sandbox = choice.is === 'confined' ? templates.fillIn(choice.sandbox, words) : 'off'
      return { session: id, sandbox, confine: confineProgram }
    },
    async confinedBy(found, record) {
      return confinedIn(await choose(found, record))
    },
    async folderOf(found, record) {
      const { is } = await choose(found, record)
      return is === 'confined' ? sandboxes.folderOf(record.workspacePath) : undefined
    },
    async start(record, extras = {}) {
      try {
        return await start(record, extras)
      } catch (error) {
        if (error instanceof HubError) throw error
        throw new HubError('unavailable', `The hub could not start the session: ${messageOf(error)}.`, { cause: error })
      }
    },
  }
}

function confinedIn(choice: Choice): Confined | undefined {
  if (choice.is !== 'confined') return undefined
  const { sandbox, unlimited } = choice
  return { by: 'bubblewrap', network: sandbox.network, ...(unlimited.length > 0 && { unlimited: [...unlimited] }) }
}

function takesPrompt({ command, args = [] }: CommandLine): boolean {
  return [command, ...args].some((word) => word.includes('{prompt}'))
}

function keptFiles(kept: readonly string[], { name }: Template): string {
  return `The workspace already has ${kept.join(', ')}. The hub did not replace it with the file of the template "${name}".`
}

async function writeSessionFiles(directory: string, files: Template['session_files']): Promise<void> {
  for (const { path, json, text } of files) {
    const file = join(directory, path)
    if (relative(directory, file).startsWith('..')) {
      throw new HubError('invalid', `The template's session file "${path}" is outside the session's folder.`)
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text ?? `${JSON.stringify(json, null, 2)}\n`, { mode: 0o600 })
  }
}
