/** The tree that is indexed: the working tree of a folder, or a commit. */
import type { UnreadPart } from '../../api/repository.ts'
import type { FileText } from './read-file.ts'

export interface TreeSource {
  /** An absolute path. Nothing outside it is read. */
  readonly root: string
  /** A branch, tag or commit. By default the working tree is followed. */
  readonly ref?: string | undefined
}

export interface Tree {
  readonly commit: string | undefined
  readonly branch: string | undefined
  /** Where git keeps HEAD and the branches. */
  readonly gitDirectories: readonly string[]
  /** Every file, in any order, without reading it. */
  files(): AsyncIterable<TreeFile>
  /** The repositories below the root that could not be read so far. */
  readonly unread: readonly UnreadPart[]
  /** The content of some of them. */
  read(files: readonly TreeFile[]): AsyncIterable<TreeContent>
}

export interface TreeFile {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly bytes: number
  /** Changes with the content: times, size and inode, or the id of the object in git. See `stamp.ts`. */
  readonly stamp: string
}

export interface TreeContent {
  readonly file: TreeFile
  /** The stamp of what was read. The file may have changed since it was listed. */
  readonly stamp: string
  readonly content: FileText
}
