/** Starts the program of a session, with a token of its own and without the secrets of a person. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { AvailableTemplate, Template } from '../api/template.ts'
import { findProgram } from '../base/find-program.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../config/config.ts'
import type { Run } from '../drivers/drivers.ts'
import { expandArgs } from './conversation.ts'
import type { CommandLine } from './program.ts'
import { isOfTemplate, toLaunch } from './program.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'

/** The part of the templates that sessions need. */
export interface TemplateSource {
  /** Throws if there is no template of that name. */
  find(name: string): AvailableTemplate
  /** Replaces `{word}` in every string of the value. */
  fillIn<Value>(value: Value, words: Readonly<Record<string, string>>): Value
  /** Copies the template's files into the workspace. Never overwrites a file; returns the paths it left as they were. */
  seed(template: string, workspace: string, folder: Folder | undefined): Promise<readonly string[]>
}

export interface SessionTokens {
  issue(session: SessionRecord): Promise<{ readonly id: string; readonly text: string }>
  revoke(id: string): Promise<unknown>
}

export interface LaunchOptions {
  readonly registry: SessionRegistry
  readonly runs: SessionRuns
  readonly templates: TemplateSource
  readonly tokens: SessionTokens
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly environment: PersonsEnvironment
  readonly mcpUrl: string
  readonly hubSocket: string
  /** The command that runs `signalbox`. */
  readonly signalbox: string
}

export interface LaunchExtras {
  /** Passed to the program and never stored. */
  readonly env?: ProgramEnvironment | undefined
  readonly socketPath?: string | undefined
  readonly prompt?: string | undefined
}

export interface Launcher {
  /** Throws if the command cannot be run. */
  check(
    template: Template,
    record: Pick<SessionRecord, 'command' | 'args' | 'workspacePath'> & { readonly env: ProgramEnvironment },
  ): void
  start(record: SessionRecord, extras?: LaunchExtras): Promise<Run>
}

export function createLauncher(options: LaunchOptions): Launcher {
  const { registry, runs, templates, tokens, directory, environment, mcpUrl, hubSocket, signalbox } = options

  async function start(record: SessionRecord, { env, socketPath, prompt }: LaunchExtras): Promise<Run> {
    const { id, name, workspacePath, workspaceFolder, size } = record
    const { template } = templates.find(record.template)
    const sessionDir = join(directory, id)
    const words = {
      workspace: workspacePath,
      session_id: id,
      session_name: name,
      session_dir: sessionDir,
      mcp_url: mcpUrl,
      mcp_socket: socketPath ?? '',
      prompt: prompt ?? '',
      signalbox,
    }
    const filled = templates.fillIn(template, words)
    const fillLine = ({ command, args }: CommandLine): CommandLine => ({
      command: templates.fillIn(command, words),
      args: args && expandArgs(args, template, record, (arg) => templates.fillIn(arg, words)),
    })
    const line = { command: record.command, args: record.args }
    const launched = isOfTemplate(line, template) ? fillLine(line) : line
    const kept = await templates.seed(record.template, workspacePath, workspaceFolder)
    await writeSessionFiles(sessionDir, filled.session_files)
    const token = await tokens.issue(record)
    const changed = await registry.change(id, () => ({
      tokenId: token.id,
      ...(kept.length > 0 && { lastMessage: keptFiles(kept, template) }),
    }))
    if (!changed || changed.isStopAsked) throw new HubError('conflict', `"${name}" was stopped before it started.`)
    const programEnv: ProgramEnvironment = {
      ...(await environment.forPrograms()),
      ...environment.passedOn(template.env_keys),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...filled.env,
      ...env,
      SIGNALBOX_URL: mcpUrl,
      SIGNALBOX_HUB_SOCKET: hubSocket,
      SIGNALBOX_TOKEN: token.text,
      ...(socketPath !== undefined && { SIGNALBOX_MCP_SOCKET: socketPath }),
    }
    const launch = toLaunch(launched, filled.prefix, programEnv)
    const file = findProgram(launch.file, programEnv['PATH'] ?? '', workspacePath)
    return runs.drivers.find(record.driver).start({
      ...runs.describe(record),
      template,
      program: { file, args: launch.args, cwd: workspacePath, env: programEnv },
      size,
      firstPrompt:
        prompt === undefined ? 'none' : isOfTemplate(line, template) && takesPrompt(line) ? 'argument' : 'given',
    })
  }

  return {
    check(template, { command, args, workspacePath, env }) {
      const { file } = toLaunch({ command, args }, template.prefix, env)
      // The template may put this file there.
      if (file.includes('/') && !isAbsolute(file) && template.include_files.length > 0) return
      findProgram(file, { ...env, ...template.env }['PATH'] ?? '', workspacePath)
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
