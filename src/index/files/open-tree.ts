/** Finds out what a source is: a working tree, a commit, or a folder without git. */
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Folder } from '../../base/open-inside.ts'
import { folderAt } from '../../base/open-inside.ts'
import { treeOfCommit } from './commit-tree.ts'
import type { Git } from '../../base/careful-git.ts'
import type { Tree, TreeSource } from './tree.ts'
import { createUnreadParts, type UnreadParts } from './unread-parts.ts'
import { filesOfWorkTree, readWorkTree } from './work-tree.ts'

export interface OpenTreeOptions {
  /** An empty git directory: git lists the files of any folder if it is told which repository they belong to. */
  readonly noRepository: string
  readonly signal: AbortSignal
}

export async function openTree(git: Git, source: TreeSource, { noRepository, signal }: OpenTreeOptions): Promise<Tree> {
  const unread = createUnreadParts(signal)
  const root = rootOf(source)
  const repository = await repositoryAt(git, root.path)
  if (source.ref !== undefined) return openCommit({ git, source, ref: source.ref, root, repository, unread })
  if (repository?.isBare === true) {
    throw new HubError('invalid', `${source.root} is a bare repository, without files. Name a ref, such as "main".`)
  }
  const isUsed = repository !== undefined && !(await isIgnored(git, root.path, repository))
  const gitDirectory = isUsed ? undefined : noRepository
  const [commit, branch] = isUsed ? await Promise.all([commitOf(git, root.path, 'HEAD'), branchOf(git, root.path)]) : []
  return {
    commit,
    branch,
    gitDirectories: isUsed ? repository.directories : [],
    files: () => filesOfWorkTree(git, { root, gitDirectory, unread }),
    get unread() {
      return unread.all
    },
    read: (files) => readWorkTree(root, files),
  }
}

interface OpenCommit {
  readonly git: Git
  readonly source: TreeSource
  readonly ref: string
  readonly root: Folder
  readonly repository: Repository | undefined
  readonly unread: UnreadParts
}

async function openCommit({ git, source, ref, root, repository, unread }: OpenCommit): Promise<Tree> {
  if (!repository) throw new HubError('invalid', `${source.root} is not a git repository, so it has no ref "${ref}".`)
  const commit = ref.startsWith('-') ? undefined : await commitOf(git, root.path, ref)
  if (commit === undefined) {
    throw new HubError('not-found', `${source.root} has no branch, tag or commit "${ref}". Fetch it, or name another.`)
  }
  const { files, read } = treeOfCommit(git, root.path, commit, unread)
  return {
    commit,
    branch: ref,
    gitDirectories: repository.directories,
    files,
    read,
    get unread() {
      return unread.all
    },
  }
}

/** A program may have put a link in the place of the folder, or of one above it. */
function rootOf({ root }: TreeSource): Folder {
  const folder = folderOf(root)
  if (folder.path === root) return folder
  throw new HubError('unavailable', `The folder ${root} is now a link to another one.`)
}

function folderOf(root: string): Folder {
  try {
    return folderAt(root)
  } catch (error) {
    throw new HubError('unavailable', `The folder ${root} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}

interface Repository {
  readonly isBare: boolean
  readonly isTop: boolean
  /** Where HEAD and the branches are. */
  readonly directories: readonly string[]
}

/** `undefined`: the folder is not in a repository. */
async function repositoryAt(git: Git, root: string): Promise<Repository | undefined> {
  const wanted = ['--is-bare-repository', '--is-inside-work-tree', '--absolute-git-dir', '--git-common-dir']
  try {
    const answer = await git(root, 'rev-parse', '--path-format=absolute', ...wanted, '--show-prefix')
    const [isBare, isInside, own, shared, prefix] = answer.split('\n')
    const directories = [...new Set([own!, shared!])]
    if (isBare !== 'true' && isInside !== 'true') {
      throw new HubError('invalid', `${root} is the inside of a git repository. Add the folder around it instead.`)
    }
    return { isBare: isBare === 'true', isTop: prefix === '', directories }
  } catch (error) {
    if (messageOf(error).includes('not a git repository')) return undefined
    if (error instanceof HubError) throw error
    throw new HubError('unavailable', `git cannot read ${root}: ${messageOf(error)}`, { cause: error })
  }
}

/** A folder that the repository around it ignores, such as one below a home that is a repository. */
async function isIgnored(git: Git, root: string, { isTop }: Repository): Promise<boolean> {
  if (isTop) return false
  return git(root, 'check-ignore', '-q', root).then(
    () => true,
    () => false,
  )
}

async function commitOf(git: Git, root: string, ref: string): Promise<string | undefined> {
  return git(root, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`).then(
    (id) => id.trim(),
    () => undefined,
  )
}

/** `undefined`: a commit is checked out, and no branch. */
async function branchOf(git: Git, root: string): Promise<string | undefined> {
  return git(root, 'symbolic-ref', '--quiet', '--short', 'HEAD').then(
    (name) => name.trim(),
    () => undefined,
  )
}
