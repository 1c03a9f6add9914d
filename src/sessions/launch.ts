/** Starting a session: the program of its template in a terminal, with a token of its own and nothing of a person's. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Template } from '../api/template.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { PersonsEnvironment } from './persons-tmux.ts'
import { personsTmux } from './persons-tmux.ts'
import { findProgram, isOfTemplate, toLaunch } from './program.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

/** What sessions need of templates. */
export interface TemplateSource {
  /** Throws where there is none of that name. */
  find(name: string): { readonly template: Template; readonly available: boolean; readonly whyNot?: string | undefined }
  /** Puts the words in for `{word}`, in every string of the value. */
  fillIn<Value>(value: Value, words: Readonly<Record<string, string>>): Value
  /** Copies the template's files into the workspace; never over a file. Answers where there was another in its place. */
  seed(template: string, workspace: string): Promise<readonly string[]>
}

export interface SessionTokens {
  issue(session: SessionRecord): Promise<{ readonly id: string; readonly text: string }>
  revoke(id: string): Promise<unknown>
}

export interface LaunchOptions {
  readonly book: SessionBook
  readonly terminals: Terminals
  readonly templates: TemplateSource
  readonly tokens: SessionTokens
  /** Where each session has a folder. */
  readonly directory: string
  readonly environment: PersonsEnvironment
  readonly mcpUrl: string
  /** The command line that is this product. */
  readonly signalbox: string
}

export interface LaunchExtras {
  /** Given to the program and kept nowhere. */
  readonly env?: ProgramEnvironment | undefined
  readonly socketPath?: string | undefined
  readonly prompt?: string | undefined
}

export interface Launcher {
  /** Throws where the command could not be run. */
  check(template: Template, record: Pick<SessionRecord, 'command' | 'args' | 'workspacePath'>): void
  start(record: SessionRecord, extras?: LaunchExtras): Promise<Terminal>
}

export function createLauncher(options: LaunchOptions): Launcher {
  const { book, terminals, templates, tokens, directory, environment, mcpUrl, signalbox } = options

  async function start(record: SessionRecord, { env, socketPath, prompt }: LaunchExtras): Promise<Terminal> {
    const { id, name, workspacePath, size } = record
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
    const line = { command: record.command, args: record.args }
    const launched = isOfTemplate(line, template) ? templates.fillIn(line, words) : line
    const kept = await templates.seed(record.template, workspacePath)
    await writeSessionFiles(sessionDir, filled.session_files)
    const token = await tokens.issue(record)
    const changed = await book.change(id, () => ({
      tokenId: token.id,
      ...(kept.length > 0 && { lastMessage: goesWithout(kept, template) }),
    }))
    if (!changed || changed.isStopAsked) throw new HubError('conflict', `"${name}" was ended before it had started.`)
    const programEnv: ProgramEnvironment = {
      ...environment.base,
      ...environment.passedOn(template.env_keys),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...filled.env,
      ...env,
      SIGNALBOX_URL: mcpUrl,
      SIGNALBOX_TOKEN: token.text,
      ...(socketPath !== undefined && { SIGNALBOX_MCP_SOCKET: socketPath }),
    }
    const launch = toLaunch(launched, filled.prefix, programEnv)
    const file = findProgram(launch.file, programEnv['PATH'] ?? '', workspacePath)
    const program = { file, args: launch.args, cwd: workspacePath, env: programEnv, ...size }
    if (record.backend === 'holder') return terminals.start(id, program)
    return terminals.start(id, { ...program, tmux: { ...personsTmux(environment), session: name } })
  }

  return {
    check(template, { command, args, workspacePath }) {
      const { file } = toLaunch({ command, args }, template.prefix, environment.base)
      // It may be among the files that the template puts there.
      if (file.includes('/') && !isAbsolute(file) && template.include_files.length > 0) return
      findProgram(file, { ...environment.base, ...template.env }['PATH'] ?? '', workspacePath)
    },
    async start(record, extras = {}) {
      try {
        return await start(record, extras)
      } catch (error) {
        if (error instanceof HubError) throw error
        throw new HubError('unavailable', `The session could not be started: ${messageOf(error)}.`, { cause: error })
      }
    },
  }
}

function goesWithout(kept: readonly string[], { name }: Template): string {
  return `The workspace keeps its own ${kept.join(', ')}: the session goes without what the template "${name}" would have put there.`
}

async function writeSessionFiles(directory: string, files: Template['session_files']): Promise<void> {
  for (const { path, json, text } of files) {
    const file = join(directory, path)
    if (relative(directory, file).startsWith('..')) {
      throw new HubError('invalid', `The template's session file "${path}" lies outside the session's folder.`)
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text ?? `${JSON.stringify(json, null, 2)}\n`, { mode: 0o600 })
  }
}
