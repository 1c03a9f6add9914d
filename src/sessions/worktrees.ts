/**
 * The git worktrees that the hub made: their set-up, and their removal. The hub removes a worktree only if it has a record
 * of making it, no session works in it, and nothing in it would be lost.
 */
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { SandboxChoice } from '../api/sandbox.ts'
import { livingStatuses } from '../api/session.ts'
import type { Template } from '../api/template.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { createSerial } from '../base/serial.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../config/config.ts'
import type { ScriptRunner } from '../git/git.ts'
import { removeWorktree } from '../git/git.ts'
import type { ConfineProgram, Sandboxes } from '../sandbox/sandbox.ts'
import { namedTargets } from '../sandbox/sandbox.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import type { TemplateSource } from './template-source.ts'
import type { NewWorktree } from './workspace.ts'
import { runWorktreeScript } from './worktree-script.ts'
import type { WorktreeState } from './worktree-state.ts'
import { inspectWorktree } from './worktree-state.ts'
import type { WorktreeRecord, WorktreeStore } from './worktree-store.ts'

export interface Worktrees {
  /** Until it is released, no worktree at that path is removed. Throws while one is being removed. */
  hold(path: string): Disposable
  isHeld(path: string): boolean
  note(path: string, made: NewWorktree, template: Template): Promise<void>
  /**
   * Before the program of a session starts there. Records its sandbox, and runs the set-up of the template where it has
   * not run. Returns a sentence about it. Throws if it fails.
   */
  setUp(path: string, setup: SetUp): Promise<string | undefined>
  /** `undefined`: the hub made no worktree there. */
  find(path: string): Promise<WorktreeRecord | undefined>
  list(): Promise<readonly WorktreeRecord[]>
  inspect(worktree: WorktreeRecord): Promise<WorktreeState>
  /** Tears it down and removes it, with the branch that the hub created. Never throws because of its state. */
  remove(worktree: WorktreeRecord): Promise<WorktreeRemoval>
}

export interface SetUp {
  /** Its `{words}` are filled in. */
  readonly template: Template
  readonly env: ProgramEnvironment
  readonly session: string
  /** That of the session. */
  readonly sandbox: SandboxChoice
  readonly outputFile: string
  readonly signal: AbortSignal
}

export type WorktreeRemoval =
  /** `output`: of its tear-down. `why`: why its branch stays. */
  | { readonly is: 'removed'; readonly output?: string; readonly why?: string }
  | { readonly is: 'kept'; readonly why: string }

export interface WorktreesOptions {
  readonly rows: WorktreeStore
  readonly sessions: Pick<SessionStore, 'list'>
  readonly templates: Pick<TemplateSource, 'find' | 'fillIn'>
  readonly environment: PersonsEnvironment
  readonly run: ScriptRunner
  readonly sandboxes: Pick<Sandboxes, 'choose'>
  readonly confine: ConfineProgram
  /** The directory for workspaces that the hub makes. */
  readonly directory: string
  readonly stopping: AbortSignal
}

export function createWorktrees(options: WorktreesOptions): Worktrees {
  const { rows, sessions, templates, environment, run, sandboxes, confine, directory, stopping } = options
  const oneByOne = createSerial()
  const held: string[] = []
  let removing: string | undefined

  async function inspect(worktree: WorktreeRecord): Promise<WorktreeState> {
    const { path } = worktree
    if (held.some((each) => isInside(each, path))) return { is: 'needed', why: 'A session is about to work in it.' }
    const living = await sessions.list({ statuses: livingStatuses })
    const user = living.find((session) => worksIn(session, path))
    if (user) return { is: 'needed', why: `The session "${user.name}" works in it.` }
    return inspectWorktree(worktree, run)
  }

  /** A worktree stays confined after a confined session, because its files stay there. */
  async function noteSandbox(path: string, sandbox: SandboxChoice, env: ProgramEnvironment): Promise<void> {
    if (sandbox === 'off') return
    const written = [path, ...namedTargets(sandbox.write, { home: env['HOME'] ?? '/', env })]
    for (const worktree of await rows.list()) {
      if (written.some((each) => overlap(each, worktree.path))) await rows.save({ ...worktree, sandbox })
    }
  }

  /** For a worktree of an earlier hub: that of its template. */
  async function sandboxOf({ path, sandbox, template: name }: WorktreeRecord): Promise<SandboxChoice> {
    if (sandbox !== undefined) return sandbox
    const { template, isSandboxShipped } = templates.find(name)
    const from = { name, sandbox: template.sandbox, isSandboxShipped }
    const choice = await sandboxes.choose({ asked: undefined, template: from, backend: 'holder' })
    return choice.is === 'confined' ? templates.fillIn(choice.sandbox, { workspace: path }) : 'off'
  }

  async function tearDown(worktree: WorktreeRecord): Promise<string | undefined> {
    const { path, template: name } = worktree
    const template = templates.fillIn(templates.find(name).template, { workspace: path })
    const { worktree_teardown: line, env_keys: passed, env } = template
    if (line === undefined) return undefined
    return runWorktreeScript({
      field: 'worktree_teardown',
      line,
      template,
      path,
      env: { ...(await environment.forPrograms()), ...environment.passedOn(passed), ...env },
      sandbox: await sandboxOf(worktree),
      confine,
      outputFile: join(directory, '.worktree-teardown.log'),
      signal: stopping,
    })
  }

  /** Returns why its branch stays. */
  async function removeClean({ path, repository: shared, branch }: WorktreeRecord): Promise<string | undefined> {
    const why = await removeWorktree({ shared, path, branch }, run)
    return why === undefined ? undefined : `The branch ${branch} stays: ${why}`
  }

  async function remove(worktree: WorktreeRecord): Promise<WorktreeRemoval> {
    const { path } = worktree
    const found = await inspect(worktree)
    if (found.is === 'needed') return { is: 'kept', why: found.why }
    const output = found.is === 'gone' ? undefined : await tearDown(worktree)
    // The tear-down may have left something.
    const left = output === undefined ? found : await inspect(worktree)
    if (left.is === 'needed') return { is: 'kept', why: left.why }
    const why = left.is === 'clean' ? await removeClean(worktree) : undefined
    await rows.remove(path)
    return { is: 'removed', ...(output !== undefined && { output }), ...(why !== undefined && { why }) }
  }

  return {
    hold(path) {
      if (removing !== undefined && isInside(path, removing)) {
        throw new HubError('conflict', `The worktree ${path} is being removed. Try again when it is gone.`)
      }
      held.push(path)
      return { [Symbol.dispose]: () => void held.splice(held.indexOf(path), 1) }
    },
    isHeld: (path) => held.includes(path),
    async note(path, { repository, branch }, template) {
      const before = await rows.find(path)
      const isOurs = branch.isNew || (before?.repository === repository && before.branch === branch.name)
      await rows.save({
        path,
        repository,
        branch: isOurs ? branch.name : undefined,
        template: template.name,
        isSetUp: false,
        // The agent of an earlier session may have committed to the branch.
        sandbox: (branch.isNew ? undefined : before?.sandbox) ?? 'off',
        createdAt: new Date().toISOString(),
      })
    },
    async setUp(path, { template, env, session, sandbox, outputFile, signal }) {
      await noteSandbox(path, sandbox, env)
      const worktree = await rows.find(path)
      if (!worktree || worktree.isSetUp) return undefined
      const { worktree_setup: line } = template
      if (line !== undefined) {
        const recorded = await sandboxOf(worktree)
        const how = { env, sandbox: recorded, confine, session, outputFile, signal }
        await runWorktreeScript({ field: 'worktree_setup', line, template, path, ...how })
      }
      await rows.save({ ...worktree, isSetUp: true })
      return line === undefined ? undefined : `worktree_setup is done. Its output is in ${outputFile}.`
    },
    find: (path) => rows.find(path),
    list: () => rows.list(),
    inspect,
    remove: (worktree) =>
      oneByOne(async () => {
        removing = worktree.path
        try {
          return await remove(worktree)
        } catch (error) {
          return { is: 'kept', why: messageOf(error) }
        } finally {
          removing = undefined
        }
      }),
  }
}

function worksIn({ workspacePath, workspaceFolder }: SessionRecord, path: string): boolean {
  return (
    isInside(workspacePath, path) || (workspaceFolder !== undefined && isInside(workspaceFolder.path, realOf(path)))
  )
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`)
}

function overlap(one: string, other: string): boolean {
  const [left, right] = [realOf(one), realOf(other)]
  return isInside(left, right) || isInside(right, left)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
