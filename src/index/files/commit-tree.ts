/** The files of a commit, read from the objects of git. The working tree is not touched. */
import { join } from 'node:path'
import type { Git } from '../../base/careful-git.ts'
import { statAt } from '../../base/stat-at.ts'
import { isReachedWithoutLinks } from '../../base/open-inside.ts'
import { maxFileBytes, textOf } from './read-file.ts'
import type { FileText } from './read-file.ts'
import type { TreeContent, TreeFile } from './tree.ts'
import type { UnreadParts } from './unread-parts.ts'

const maxDepth = 8

export interface CommitTree {
  files(): AsyncGenerator<TreeFile>
  read(files: readonly TreeFile[]): AsyncGenerator<TreeContent>
}

export function treeOfCommit(git: Git, root: string, commit: string, unread: UnreadParts): CommitTree {
  /**
   * The paths of the submodules, each with a slash at its end. The objects of their files are in other repositories.
   */
  const submodules: string[] = []

  async function* filesBelow(prefix: string, id: string, depth: number): AsyncGenerator<TreeFile> {
    for (const line of await listIn(prefix, id)) {
      const [, mode, object, size, name] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line) ?? []
      if (mode === undefined || object === undefined || name === undefined) continue
      const path = prefix + name
      if (mode.startsWith('100')) yield { path, bytes: Number(size), stamp: object }
      else if (mode === '160000' && depth < maxDepth && isCheckedOut(path)) {
        submodules.push(`${path}/`)
        yield* filesBelow(`${path}/`, object, depth + 1)
      }
    }
  }

  async function listIn(prefix: string, id: string): Promise<readonly string[]> {
    try {
      return (await git(join(root, prefix), 'ls-tree', '-r', '-z', '-l', id)).split('\0')
    } catch (error) {
      // Also if the commit of a submodule was not fetched.
      unread.note(prefix, error)
      return []
    }
  }

  /** A submodule is only known if it is checked out. A link in its place could lead to a repository outside. */
  function isCheckedOut(path: string): boolean {
    if (!isReachedWithoutLinks(root, path)) return false
    return statAt(join(root, path, '.git')) !== undefined
  }

  return {
    files: () => filesBelow('', commit, 0),
    async *read(files) {
      // The innermost submodule of a path is the longest.
      const inside = submodules.toSorted((a, b) => b.length - a.length)
      const byRepository = Map.groupBy(files, ({ path }) => inside.find((prefix) => path.startsWith(prefix)) ?? '')
      for (const [prefix, members] of byRepository) {
        try {
          yield* readObjects(git, join(root, prefix), members)
        } catch (error) {
          unread.note(prefix, error)
        }
      }
    },
  }
}

async function* readObjects(git: Git, directory: string, files: readonly TreeFile[]): AsyncGenerator<TreeContent> {
  const child = git.start(directory, 'cat-file', '--batch')
  let failure: unknown
  child.on('error', (error) => (failure = error))
  child.stdin.on('error', (error) => (failure ??= error))
  child.stderr.resume()
  const output = readExactly(child.stdout)
  try {
    for (const file of files) {
      if (file.bytes > maxFileBytes) {
        yield { file, stamp: file.stamp, content: { skipped: 'too-large' } }
        continue
      }
      child.stdin.write(`${file.stamp}\n`)
      yield { file, stamp: file.stamp, content: await nextObject() }
    }
  } finally {
    child.stdin.end()
    child.kill()
  }

  async function nextObject(): Promise<FileText> {
    const header = await output.line()
    if (header === undefined) throw new Error('git ended while it read objects.', { cause: failure })
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1]
    // The object is missing, such as in an incomplete clone.
    if (size === undefined) return { skipped: 'unreadable' }
    const bytes = await output.bytes(Number(size) + 1)
    if (!bytes) throw new Error('git ended while it read objects.', { cause: failure })
    return textOf(bytes.subarray(0, -1))
  }
}

function readExactly(stream: AsyncIterable<Buffer>) {
  const iterator = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const { value, done } = await iterator.next()
    if (done === true) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }

  function take(length: number): Buffer {
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }

  return {
    async line(): Promise<string | undefined> {
      let end = rest.indexOf('\n')
      while (end < 0) {
        if (!(await more())) return undefined
        end = rest.indexOf('\n')
      }
      return take(end + 1)
        .subarray(0, -1)
        .toString()
    },
    async bytes(length: number): Promise<Buffer | undefined> {
      while (rest.length < length) if (!(await more())) return undefined
      return take(length)
    },
  }
}
