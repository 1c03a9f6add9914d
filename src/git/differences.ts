/** What differs between a git directory and the state in which a person and an agent last had the same. */

export interface Difference {
  /** `undefined`: it is new. */
  readonly before: string | undefined
  /** `undefined`: it is gone. */
  readonly after: string | undefined
}

export interface Differences {
  /** `ref: refs/heads/main`, or a hash. Empty: it cannot be read. */
  readonly head: string
  /** The command that is in progress there, such as `rebase-merge`. */
  readonly busy: string | undefined
  /** By name, each with its hash. */
  readonly refs: ReadonlyMap<string, Difference>
  /** By stage and path, as in `0\tsrc/main.ts`, each with its mode and hash. Paths are bytes, as latin1. */
  readonly index: ReadonlyMap<string, Difference>
}

/** Between the differences of the refs and those of the index. No name and no path is like it. */
export const separator = '='

/** Reads what the script `look` prints. Lines that git would not write are left out: an agent wrote what is compared. */
export function parseDifferences(printed: string): Differences {
  const [head = '', busy = '', ...lines] = printed.split('\n')
  const middle = lines.indexOf(separator)
  if (middle < 0) throw new Error('The answer of git is incomplete.')
  return {
    head: isHead(head) ? head : '',
    busy: busy === '' ? undefined : busy,
    refs: collect(lines.slice(0, middle), refOf),
    index: collect(lines.slice(middle + 1), entryOf),
  }
}

/** `comm -3` begins a line of the second file with a tab. */
function collect(lines: readonly string[], read: (line: string) => readonly [string, string] | undefined) {
  const found = new Map<string, Difference>()
  for (const line of lines) {
    const isAfter = line.startsWith('\t')
    const [key, value] = read(isAfter ? line.slice(1) : line) ?? []
    if (key === undefined || value === undefined) continue
    const { before, after } = found.get(key) ?? { before: undefined, after: undefined }
    found.set(key, isAfter ? { before, after: value } : { before: value, after })
  }
  return found
}

/** Symbolic refs follow others, and are left out. */
function refOf(line: string): readonly [string, string] | undefined {
  const [hash = '', name = '', symbolic = ''] = line.split(' ')
  return isHash(hash) && isRefName(name) && symbolic === '' ? [name, hash] : undefined
}

function entryOf(line: string): readonly [string, string] | undefined {
  const { mode, hash, stage, path } =
    /^(?<mode>\d{6}) (?<hash>[0-9a-f]+) (?<stage>[0-3])\t(?<path>[^]+)$/.exec(line)?.groups ?? {}
  return mode !== undefined && isHash(hash) ? [`${stage}\t${toPath(path!)}`, `${modeOf(mode)} ${hash}`] : undefined
}

/** As git reads the mode when it adds an entry: it takes each directory for a submodule. An agent can write any mode. */
function modeOf(listed: string): string {
  const mode = Number.parseInt(listed, 8)
  switch (mode & 0o170000) {
    case 0o120000:
      return '120000'
    case 0o040000:
    case 0o160000:
      return '160000'
    default:
      return mode & 0o100 ? '100755' : '100644'
  }
}

/** As the script `list` exchanges bytes. */
export function toPath(listed: string): string {
  // oxlint-disable-next-line no-control-regex
  return listed.replaceAll(/[\x00\x01]/g, (byte) => (byte === '\x01' ? '\n' : '\x01'))
}

/** As the script `list` writes them: those that are old, and those that are new. */
export function toListings(part: 'refs' | 'index', differences: ReadonlyMap<string, Difference>) {
  const toLine = part === 'refs' ? toRefLine : toEntryLine
  const all = [...differences]
  const listing = (which: 'before' | 'after') =>
    all.map(([key, { [which]: value }]) => (value === undefined ? '' : `${toLine(key, value)}\n`)).join('')
  return { [`old-${part}`]: listing('before'), [`new-${part}`]: listing('after') }
}

function toRefLine(name: string, hash: string): string {
  return `${hash} ${name} `
}

function toEntryLine(key: string, entry: string): string {
  // oxlint-disable-next-line no-control-regex
  const path = key.slice(2).replaceAll(/[\n\x01]/g, (byte) => (byte === '\n' ? '\x01' : '\x00'))
  return `${entry} ${key.slice(0, 1)}\t${path}`
}

function isHead(text: string): boolean {
  return text.startsWith('ref: ') ? isRefName(text.slice(5)) : isHash(text)
}

function isRefName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- git allows none of these in a name
  return /^refs\/[^\x00-\x20\x7f~^:?*[\\]+$/.test(name) && !name.includes('..') && !name.endsWith('.lock')
}

export function isHash(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** What git has to change in an index. */
export interface IndexChange {
  readonly key: string
  /** `undefined`: the entry goes. */
  readonly entry: string | undefined
}

/** For `update-index -z --index-info`. Removing a path removes all its stages, so removals come first. */
export function toIndexInfo(changes: readonly IndexChange[]): string {
  const paths = new Set(changes.filter(({ entry }) => entry === undefined).map(({ key }) => key.slice(2)))
  const set = changes.filter(({ entry }) => entry !== undefined)
  return [
    ...[...paths].map((path) => `0 ${'0'.repeat(40)}\t${path}\0`),
    ...set.map(({ key, entry }) => `${entry} ${key.slice(0, 1)}\t${key.slice(2)}\0`),
  ].join('')
}
