/**
 * The git directory of a confined session. Its agent never writes the person's: what git outside reads as settings, or
 * follows as a path, is not the agent's. It gets a copy, with the person's objects as its read-only alternate. The hub
 * exchanges branches, tags, HEAD, index and objects between both.
 */
import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Mount, ReachSpec } from '../sandbox/sandbox.ts'
import { isHash, parseDifferences, toIndexInfo, toPath } from './differences.ts'
import type { Repository, WorkspaceGit } from './repository.ts'
import { gitOf } from './repository.ts'
import type { ScriptRunner } from './run-script.ts'
import { utf8 } from './run-script.ts'
import { change, initialize, inspect, look, prepare, save } from './scripts.ts'
import type { Changes, Facts, Sides, ThreeWay } from './three-way.ts'
import { compare, isEmpty } from './three-way.ts'

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
  readonly watched: readonly string[]
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
  const lends = join(copy, 'objects')
  const paths = { shared, own, copy, mine, base, name, in: input, objects: join(lent, 'objects'), borrowed: lends }
  const shown = [{ path: join(shared, 'objects'), at: paths.objects }]
  /** What stays apart does so for long, and is kept once. */
  const kept = new Map<string, string>()

  async function make(): Promise<readonly Mount[]> {
    rmSync(directory, { recursive: true, force: true })
    for (const path of [copy, base]) mkdirSync(path, { recursive: true, mode: 0o700 })
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
    if (shared === link) {
      const made = await run(initialize, { read: [copy], write: [shared, base], shown, variables: paths })
      if (made !== '') return []
    }
    const sides = await lookAtSides()
    const facts = await factsOf(sides, compare(sides))
    const { toPerson, toAgent, apart } = compare(facts ? { ...sides, facts } : sides)
    const refused = [
      ...(await apply(toPerson, toKeep(apart), {
        read: [lends, join(copy, 'lfs')],
        write: [shared],
        variables: paths,
      })),
      ...(await apply(toAgent, [], { read: [], write: [copy], variables: { ...paths, shared: copy, own: mine } })),
    ]
    if (!isEmpty(toPerson) || !isEmpty(toAgent)) {
      await run(save, { read: [shared, copy], write: [base], shown, variables: paths })
    }
    return shorten([
      ...apart.map(({ why, ref }) => (ref ? `${why} What its agent has is kept as ${keptName(ref.name)}.` : why)),
      ...refused.map((each) => `git refused to change ${JSON.stringify(each)}.`),
    ])
  }

  async function lookAtSides(): Promise<Sides> {
    const answer = await run(look, { read: [shared, copy, base], write: [], shown, variables: paths })
    const [person = '', agent = '', both = '', elsewhere = ''] = answer.split('\x1e')
    const [head = '', busy = ''] = both.split('\n')
    return {
      head,
      busy: busy === '' ? undefined : busy,
      person: parseDifferences(person),
      agent: parseDifferences(agent),
      checkedOut: checkedOutIn(elsewhere),
    }
  }

  async function factsOf({ person, agent }: Sides, { toPerson, apart }: ThreeWay): Promise<Facts | undefined> {
    const detached = toPerson.head !== undefined && isHash(agent.head) ? [{ name: 'HEAD', after: agent.head }] : []
    const moved = apart.flatMap(({ ref }) => (ref ? [{ name: ref.name, after: ref.hash }] : []))
    const asked = [...toPerson.refs, ...moved, ...detached]
    if (asked.length === 0) return undefined
    writeInput(input, {
      objects: lines(asked.flatMap(({ after }) => after ?? [])),
      refs: lines(
        asked.map(({ name: ref, after }) => `${ref} ${after} ${person.refs.get(ref)?.after ?? ''}`.trimEnd()),
      ),
    })
    const spec = { read: [base, input, lends], write: [shared], shown, variables: paths }
    return parseFacts(await run(inspect, spec))
  }

  /** Returns the refs that git refused to change. */
  async function apply(
    changes: Changes,
    more: readonly Kept[],
    { read, write, variables }: Pick<ReachSpec, 'read' | 'write'> & { readonly variables: typeof paths },
  ): Promise<readonly string[]> {
    if (isEmpty(changes) && more.length === 0) return []
    const files = inputOf(changes, more)
    // The agent has the person's objects already.
    writeInput(input, variables.shared === copy ? { ...files, objects: '' } : files)
    const answer = await run(change, { read: [input, ...read], write, shown, variables })
    for (const { name: ref, after } of more) kept.set(ref, after)
    return answer.split('\n').filter((line) => line !== '')
  }

  function toKeep(apart: ThreeWay['apart']): readonly Kept[] {
    const refs = apart.flatMap(({ ref }) => (ref ? [{ name: keptName(ref.name), after: ref.hash }] : []))
    return refs.filter((ref) => kept.get(ref.name) !== ref.after)
  }

  function keptName(ref: string): string {
    const quoted = encodeURIComponent(ref.slice('refs/'.length)).replaceAll('%2F', '/')
    return `refs/signalbox/${encodeURIComponent(session)}/${quoted.replaceAll(/[!'()*]/g, '_')}`
  }

  return { make, exchange, watched: [copy, mine, join(copy, 'refs/heads'), shared, own, join(shared, 'refs/heads')] }
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

function readOnly(path: string): Mount {
  return { is: 'read', path, source: path }
}

/** Nothing, if it is missing. A link would lend another place. */
function lentDirectory(shared: string, names: readonly string[], path: string): readonly Mount[] {
  const steps = names.map((_, index) => join(shared, ...names.slice(0, index + 1)))
  const areReal = steps.every((step) => lstatSync(step, { throwIfNoEntry: false })?.isDirectory())
  return areReal ? [{ is: 'read', path, source: join(shared, ...names) }] : []
}

/** A ref of the person's repository that holds what stays apart, so that it is not lost with the session. */
interface Kept {
  readonly name: string
  readonly after: string
}

function inputOf({ refs, head, index, isFinished }: Changes, kept: readonly Kept[]): Readonly<Record<string, string>> {
  // Those of the refs are there since somebody has looked at them.
  const objects = [
    head,
    // A submodule's commit is in another repository.
    ...index.map(({ entry }) => (entry?.startsWith('160000') === true ? undefined : entry?.split(' ')[1])),
  ].filter(isHash)
  return {
    objects: lines(new Set(objects)),
    refs: lines([...refs.map(toCommand), ...kept.map(({ name, after }) => `update ${name} ${after}`)]),
    head: head === undefined ? '' : `${head}\n`,
    index: toIndexInfo(index),
    ...(isFinished && { finished: '' }),
  }
}

/** For `update-ref --stdin`. */
function toCommand({ name, before, after }: Changes['refs'][number]): string {
  if (after === undefined) return `delete ${name} ${before ?? ''}`.trimEnd()
  return before === undefined ? `create ${name} ${after}` : `update ${name} ${after} ${before}`
}

function writeInput(directory: string, files: Readonly<Record<string, string>>): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, 'latin1')
}

function lines(texts: Iterable<string>): string {
  return [...texts].map((text) => `${text}\n`).join('')
}

function checkedOutIn(answer: string): ReadonlyMap<string, string> {
  return new Map(
    answer.split('\n').flatMap((line) => {
      const at = line.indexOf(' ')
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).replace(/\/\.git$/, '')] as const]
    }),
  )
}

function parseFacts(answer: string): Facts {
  const said = answer.split('\n').map((line) => line.split(' '))
  const ahead = said.flatMap(([fact, name = '']) =>
    fact === 'agent' || fact === 'person' ? [[name, fact] as const] : [],
  )
  const aboutNames = (kind: string) =>
    new Map(said.flatMap(([fact, name = '', ...rest]) => (fact === kind ? [[name, rest.join(' ')] as const] : [])))
  return { ahead: new Map(ahead), submodules: aboutNames('submodule'), meant: aboutNames('meant') }
}

const shownSentences = 4
const shownCharacters = 300

/** An agent can make many branches, with long names. */
function shorten(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - shownSentences
  const first = sentences.slice(0, shownSentences)
  const short = first.map((each) => (each.length > shownCharacters ? `${each.slice(0, shownCharacters)}…` : each))
  return more > 0 ? [...short, `The same holds for ${more} more.`] : short
}
