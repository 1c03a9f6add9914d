/**
 * The git directory of a confined session. Its agent never writes the person's: what git outside reads as settings, or
 * follows as a path, is not the agent's. It gets a copy, with the person's objects as its read-only alternate. The hub
 * exchanges branches, tags, HEAD, index and objects between both.
 */
import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { siblingModule } from '../base/sibling-module.ts'
import { createWorker } from '../base/worker.ts'
import type { Mount, ReachSpec } from '../sandbox/sandbox.ts'
import { toPath } from './differences.ts'
import type { Input, Plan, PlanQuestion } from './plan.ts'
import { plan, shorten } from './plan.ts'
import type { Repository, WorkspaceGit } from './repository.ts'
import { gitOf, readOnly } from './repository.ts'
import type { ScriptRunner } from './run-script.ts'
import { utf8 } from './run-script.ts'
import { change, initialize, inspect, look, prepare, save } from './scripts.ts'
import type { WatchedFolder } from './watch-folders.ts'

export interface AgentGit {
  /**
   * Makes the agent's git directory anew, and returns what its sandbox shows in place of the person's. What an earlier start
   * of the session has left goes.
   */
  make(): Promise<readonly Mount[]>
  /**
   * Brings to each side what the other has. Returns sentences about what stays different, for people. Throws if the hub
   * cannot look, or git refuses.
   */
  exchange(): Promise<readonly string[]>
  /** Something changes in these directories when one side commits, or checks something out. */
  readonly watched: readonly WatchedFolder[]
}

export interface AgentGitSpec {
  /** The name of the session. */
  readonly session: string
  /** Without links. */
  readonly workspace: string
  readonly repository: Repository
  /** Of the hub, for the agent's git directory and notes. */
  readonly directory: string
  readonly run: ScriptRunner
}

/** Where a sandbox shows the person's objects and, as git-lfs expects it, the large files beside them. */
const lent = '/run/signalbox-git'

export function createAgentGit({ session, workspace, repository, directory, run }: AgentGitSpec): AgentGit {
  const { shared, own } = repository
  /** Of the worktree. Empty: the repository itself. */
  const name = own === shared ? '' : basename(own)
  const link = join(workspace, '.git')
  const copy = join(directory, 'copy')
  const mine = join(copy, name === '' ? '' : `worktrees/${name}`)
  /** Listings of what both sides had when they were last equal. */
  const base = join(directory, 'both')
  const input = join(directory, 'input')
  /** The identity of the person's git directory. A sandbox covers it by a mount, which goes with the directory. */
  const covered = join(directory, 'covered')
  const lends = join(copy, 'objects')
  const paths = { shared, own, copy, mine, base, name, in: input, objects: join(lent, 'objects'), borrowed: lends }
  const shown = [{ path: join(shared, 'objects'), at: paths.objects }]
  /** What stays apart does so for long, and is kept once. */
  const kept = new Map<string, string>()

  async function make(): Promise<readonly Mount[]> {
    // An agent decides how many files there are.
    await rm(directory, { recursive: true, force: true })
    for (const path of [copy, base]) mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(covered, identityOf(shared))
    const variables = { ...paths, workspace }
    const answer = await run(prepare, { read: [shared, workspace], write: [copy, base], variables })
    const submodules = answer.split('\n').filter((line) => line !== '')
    return [
      { is: 'write', path: shared, source: copy },
      { is: 'read', path: paths.objects, source: join(shared, 'objects') },
      ...lentDirectory(shared, ['lfs', 'objects'], join(lent, 'lfs/objects')),
      ...lentDirectory(shared, ['modules'], join(shared, 'modules')),
      ...(shared === link ? [] : [readOnly(link)]),
      ...(await submoduleMounts(workspace, submodules.map(toName), run)),
    ]
  }

  async function exchange(): Promise<readonly string[]> {
    if (readFileSync(covered, 'utf8') !== identityOf(shared)) {
      throw new Error(
        `${shared} was replaced while the session was running. Its agent can write the new one, so end the session, and look at the settings and hooks there before you use git.`,
      )
    }
    if (shared === link && !existsSync(join(shared, 'HEAD'))) {
      const made = await run(initialize, { read: [copy], write: [shared, base], shown, variables: paths })
      if (made !== '') return []
    }
    const looked = await run(look, { read: [shared, copy, base], write: [], shown, variables: paths })
    const before = { session, looked, kept: [...kept] }
    const first = await planOf(before)
    const question = first.asked ? { ...before, facts: await inspectRefs(first.asked) } : before
    const { toPerson, toAgent, more, said, agreed } = first.asked ? await planOf(question) : first
    const refused = [
      ...(await apply(toPerson, { read: [lends, join(copy, 'lfs')], write: [shared], variables: paths })),
      ...(await apply(toAgent, { read: [], write: [copy], variables: { ...paths, shared: copy, own: mine } })),
    ]
    for (const { name: ref, after } of more) kept.set(ref, after)
    await note(refused.length === 0 ? agreed : (await planOf({ ...question, refused })).agreed)
    return [...said, ...shorten(refused.map((each) => `git refused to change ${JSON.stringify(each)}.`))]
  }

  async function inspectRefs(asked: Input): Promise<string> {
    await writeInput(input, asked)
    return run(inspect, { read: [base, input, lends], write: [shared], shown, variables: paths })
  }

  /** Returns the refs that git refused to change. */
  async function apply(
    files: Input | undefined,
    { read, write, variables }: Pick<ReachSpec, 'read' | 'write'> & { readonly variables: typeof paths },
  ): Promise<readonly string[]> {
    if (!files) return []
    await writeInput(input, files)
    const answer = await run(change, { read: [input, ...read], write, shown, variables })
    return answer.split('\n').filter((line) => line !== '')
  }

  /** What an agent has changed since the hub looked is not among it, and comes next. */
  async function note(agreed: Input | undefined): Promise<void> {
    if (!agreed) return
    await writeInput(input, agreed)
    await run(save, { read: [input], write: [base], variables: paths })
  }

  const watched = [
    { root: copy, mine },
    { root: shared, mine: own },
  ].flatMap((side): readonly WatchedFolder[] => [
    { root: side.root, path: '' },
    { root: side.root, path: relative(side.root, side.mine) },
    { root: side.root, path: 'refs/heads', isDeep: true },
    { root: side.root, path: 'refs/tags', isDeep: true },
  ])
  return { make, exchange, watched }
}

/**
 * The repository of a workspace. Where there is none, the agent may make one, and the hub then makes it for the person. An
 * empty directory holds its place: git takes it for none.
 */
export async function repositoryFor(
  workspace: string,
  run: ScriptRunner,
): Promise<Exclude<WorkspaceGit, { is: 'none' }>> {
  const found = gitOf(workspace)
  if (found.is !== 'none') return found
  const shared = join(workspace, '.git')
  await run('mkdir -p "$shared/objects"', { read: [], write: [workspace], variables: { shared } })
  return { is: 'repository', shared, own: shared }
}

/** Throws if a path has no name here: nothing could be mounted there. */
function toName(listed: string): string {
  const path = toPath(listed)
  if (isUtf8(Buffer.from(path, 'latin1'))) return utf8(path)
  throw new Error(`The path of the submodule ${JSON.stringify(path)} is not UTF-8.`)
}

/**
 * For a submodule, git outside reads the settings that its `.git` names. So the agent can replace neither that nor the
 * folders around it: what is mounted cannot be renamed. A submodule that is not checked out is read-only as a whole.
 */
async function submoduleMounts(
  workspace: string,
  submodules: readonly string[],
  run: ScriptRunner,
): Promise<readonly Mount[]> {
  if (submodules.length === 0) return []
  const folders = submodules.map((path) => join(workspace, path))
  await run('for each; do mkdir -p "$each"; done', { read: [], write: [workspace], args: folders })
  return submodules.flatMap((path, index): readonly Mount[] => {
    const names = dirname(path) === '.' ? [] : dirname(path).split('/')
    const around = names.map((_, depth) => join(workspace, ...names.slice(0, depth + 1)))
    const folder = folders[index]!
    const link = join(folder, '.git')
    return [...around.map(writable), ...(existsSync(link) ? [writable(folder), readOnly(link)] : [readOnly(folder)])]
  })
}

function writable(path: string): Mount {
  return { is: 'write', path, source: path }
}

/**
 * The number of a device may be another after a restart of the machine, and that of an inode may be used again. Empty:
 * there is no such directory.
 */
function identityOf(directory: string): string {
  const found = lstatSync(directory, { bigint: true, throwIfNoEntry: false })
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeNs}` : ''
}

/** Nothing, if it is missing. A link would lend another place. */
function lentDirectory(shared: string, names: readonly string[], path: string): readonly Mount[] {
  const steps = names.map((_, index) => join(shared, ...names.slice(0, index + 1)))
  const areReal = steps.every((step) => lstatSync(step, { throwIfNoEntry: false })?.isDirectory())
  return areReal ? [{ is: 'read', path, source: join(shared, ...names) }] : []
}

async function writeInput(directory: string, files: Input): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, 'latin1')
}

/** Longer answers are compared in a worker: an agent decides how much differs. */
const mostHere = 64 * 1024
const worker = createWorker<PlanQuestion>({ module: siblingModule('plan-worker', import.meta.url), memoryMb: 1024 })

async function planOf(question: PlanQuestion): Promise<Plan> {
  return question.looked.length > mostHere ? worker.ask<Plan>(question) : plan(question)
}
