/** What a git directory says: its branches and tags, its HEAD, and its index. */

/** Branches, tags and remote branches, each with its hash. */
export type Refs = ReadonlyMap<string, string>

/** Each entry of the index, by its path and stage. The text is git's: mode and hash. Paths are bytes, as latin1. */
export type IndexEntries = ReadonlyMap<string, string>

export interface Snapshot {
  /** `ref: refs/heads/main`, or a hash. */
  readonly head: string
  readonly refs: Refs
  readonly index: IndexEntries
}

export const emptySnapshot: Snapshot = { head: '', refs: new Map(), index: new Map() }

export const refsFormat = '--format=%(objectname) %(refname) %(symref)'

/** Reads the answer of `for-each-ref`. Symbolic refs follow others, and are left out. */
export function parseRefs(answer: string): Refs {
  const refs = new Map<string, string>()
  for (const line of answer.split('\n')) {
    const [hash = '', name = '', symbolic = ''] = line.split(' ')
    if (isHash(hash) && name.startsWith('refs/') && symbolic === '') refs.set(name, hash)
  }
  return refs
}

/** Reads the answer of `ls-files --stage -z`. */
export function parseIndex(answer: string): IndexEntries {
  const entries = new Map<string, string>()
  for (const line of answer.split('\0')) {
    const { mode, hash, stage, path } =
      /^(?<mode>\d{6}) (?<hash>[0-9a-f]+) (?<stage>[0-3])\t(?<path>[^]+)$/.exec(line)?.groups ?? {}
    if (mode !== undefined && isHash(hash)) entries.set(`${stage}\t${path}`, `${mode} ${hash}`)
  }
  return entries
}

/** For `update-index -z --index-info`: the first hash is as long as all others. */
export function toIndexInfo(changes: readonly IndexChange[]): string {
  const removed = changes.filter(({ entry }) => entry === undefined)
  const set = changes.filter(({ entry }) => entry !== undefined)
  // Removing a path removes all its stages, so removals come first.
  const paths = [...new Set(removed.map(({ key }) => key.slice(2)))]
  return [
    ...paths.map((path) => `0 ${'0'.repeat(40)}\t${path}\0`),
    ...set.map(({ key, entry }) => `${entry} ${key.slice(0, 1)}\t${key.slice(2)}\0`),
  ].join('')
}

export interface IndexChange {
  readonly key: string
  /** `undefined`: the entry goes. */
  readonly entry: string | undefined
}

export function isHash(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
