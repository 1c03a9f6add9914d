/** What a confined agent must not reach, watched from outside: files, a program that must never run, and a service. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'

/** Text of the person. Where it is found, something outside has read it for the agent. */
export const mark = 'Zanzibar-4711'

export interface Canaries {
  /** What something outside has answered or printed. */
  inspect(what: string, text: string): void
  /** All that was reached so far, as sentences. */
  faults(): readonly string[]
}

export interface CanarySpec {
  /** Folders whose files stay as they are. */
  readonly still: readonly string[]
  /** Folders in them that change. */
  readonly changing: readonly string[]
  /** What the agent can read. */
  readonly readable: () => readonly string[]
  /** The git directory of the person, and what was found there before. */
  readonly repository: () => { readonly path: string; readonly known: readonly string[] } | undefined
  readonly secrets: readonly string[]
  readonly requests: () => number
}

export function watchCanaries({ still, changing, readable, repository, secrets, requests }: CanarySpec): Canaries {
  const said: string[] = []
  const before = still.map((folder) => look(folder, changing))
  const holdsSecret = (text: string) => secrets.some((secret) => text.includes(secret))

  function foreign(): readonly string[] {
    const { path, known = [] } = repository() ?? {}
    return path === undefined ? [] : foreignIn(path).filter((fault) => !known.includes(fault))
  }

  return {
    inspect(what, text) {
      if (holdsSecret(text)) said.push(`${what} shows a secret of the person: ${text.slice(0, 2_000)}`)
    },
    faults() {
      const changed = still.flatMap((folder, index) => differences(before[index]!, look(folder, changing)))
      const stolen = readable().flatMap((folder) => walk(folder).filter((file) => holdsSecret(textOf(file))))
      return [
        ...said,
        ...changed,
        ...stolen.map((file) => `${file}, which the agent can read, holds a secret of the person`),
        ...foreign(),
        ...(requests() > 0 ? ['a service of this machine was asked'] : []),
      ]
    },
  }
}

/** On this machine. No session of the fuzz has a network. */
export async function startService() {
  let count = 0
  const server = createServer((_request, response) => response.end(String(++count))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => count,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

function look(folder: string, changing: readonly string[]): ReadonlyMap<string, string> {
  const below = walk(folder, changing).map((path) => [path, stateOf(path)] as const)
  return new Map([[folder, stateOf(folder)], ...below])
}

function stateOf(path: string): string {
  const stat = lstatSync(path)
  const content = () => {
    if (stat.isDirectory()) return 'a folder'
    if (stat.isSymbolicLink()) return `a link to ${readlinkSync(path)}`
    return stat.isFile() ? createHash('sha1').update(readFileSync(path)).digest('hex') : 'something else'
  }
  return `${content()}, mode ${(stat.mode & 0o7777).toString(8)}, of ${stat.uid}`
}

/** All below a folder, without following links. What an agent or git removes meanwhile is left out. */
function walk(folder: string, except: readonly string[] = []): readonly string[] {
  return (unlessGone(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const path = join(folder, name)
    if (except.includes(path)) return []
    const isFolder = unlessGone(() => lstatSync(path))?.isDirectory() === true
    return isFolder ? [path, ...walk(path, except)] : [path]
  })
}

function unlessGone<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path} was ${before.get(path) ?? 'missing'}, and is ${after.get(path) ?? 'missing'}`)
}

/** Empty, if it is no plain file. */
function textOf(file: string): string {
  const isFile = unlessGone(() => lstatSync(file))?.isFile() === true
  return (isFile ? unlessGone(() => readFileSync(file, 'latin1')) : undefined) ?? ''
}

/** The settings that git and the person of the fuzz write. */
const settings = /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates)|user\.nickname)$/
/** The names of refs that no shell reads differently. */
const plainName = /^[\p{L}\p{N}_./@+=,#%-]*$/u
const links = /(^|\/)(objects\/info\/alternates|info\/grafts|info\/attributes|commondir)$/

/** What git and the person of the fuzz never put in a git directory. */
export function foreignIn(directory: string): readonly string[] {
  const odd = walk(directory).flatMap((path) => {
    const name = relative(directory, path)
    const found = unlessGone(() => lstatSync(path))
    if (found && !found.isFile() && !found.isDirectory()) return [`${name} is a link, or no file`]
    const isOfWorktree = /^worktrees\/[^/]+\/commondir$/.test(name)
    return links.test(name) && !isOfWorktree ? [`${name} is there`] : []
  })
  const refs = textOf(join(directory, 'packed-refs'))
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.slice(41))
  const loose = walk(join(directory, 'refs')).map((path) => relative(directory, path))
  const names = [...refs, ...loose].filter((name) => !plainName.test(name))
  const keys = settingsIn(textOf(join(directory, 'config'))).filter((key) => !settings.test(key))
  return [
    ...odd,
    ...keys.map((key) => `"${key}" is set`),
    ...names.map((name) => `there is ${JSON.stringify(name)}`),
  ].map((what) => `In ${directory}, ${what}.`)
}

function settingsIn(text: string): readonly string[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const named = /^\[([^ \]]+)(?: "(.*)")?\]/.exec(line)
    if (named) section = `${named[1]}${named[2] === undefined ? '' : `.${named[2]}`}`
    const key = /^\s+([A-Za-z0-9]+)/.exec(line)?.[1]
    return key === undefined ? [] : [`${section}.${key}`.toLowerCase()]
  })
}
