/**
 * Finds the settings in a workspace by which a project decides what an agent runs, around the policy: hooks, plugins,
 * variables, helper programs, permissions. A file that cannot be read or understood counts, because it may set
 * anything.
 */
import { constants } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { AgentName } from '../../api/template.ts'
import { claudeProject } from './claude.ts'
import { codexProject } from './codex.ts'
import { geminiProject } from './gemini.ts'
import type { ProjectFolder, ProjectRules, ProjectSetting, Within, SettingKind } from './project-rules.ts'

const rules: Readonly<Record<AgentName, ProjectRules>> = {
  claude: claudeProject,
  codex: codexProject,
  gemini: geminiProject,
  // The hub switches off all settings of the project. Where a template does not, the gate says so.
  opencode: { files: [], folders: [] },
}

/** Settings are small. A larger file, or a folder with more files, counts as unreadable, and so does more in all. */
const maxBytes = 256 * 1024
const maxFiles = 1_000
const maxBytesInAll = 4 * 1024 * 1024

export interface ProjectPlace {
  readonly agent: AgentName
  readonly workspace: string
  /** The text of a file that the template itself puts into the workspace. Such a file is not the project's. */
  readonly ownFiles: ReadonlyMap<string, string>
}

export async function findProjectSettings({
  agent,
  workspace,
  ownFiles,
}: ProjectPlace): Promise<readonly ProjectSetting[]> {
  const found: ProjectSetting[] = []
  const folders = await foldersAround(workspace)
  let bytesLeft = maxBytesInAll

  async function look(folder: string, path: string, kindsIn: (text: string) => readonly SettingKind[]): Promise<void> {
    const read: Read = bytesLeft > 0 ? await readSmall(join(folder, path)) : { is: 'unreadable' }
    if (read.is === 'missing') return
    if (read.is === 'text') bytesLeft -= read.text.length
    if (read.is === 'text' && folder === folders.workspace[0] && ownFiles.get(path) === read.text) return
    const kinds = read.is === 'text' ? understand(read.text, kindsIn) : (['unreadable'] as const)
    if (kinds.length > 0) found.push({ file: nameOf(join(folder, path)), kinds })
  }

  function nameOf(path: string): string {
    const inside = relative(folders.workspace[0]!, path)
    return inside.startsWith('..') ? path : inside
  }

  for (const { path, within, kindsIn } of rules[agent].files) {
    for (const folder of folders[within]) await look(folder, path, kindsIn)
  }
  for (const rule of rules[agent].folders) {
    for (const folder of folders[rule.within]) {
      const files = await filesIn(join(folder, rule.path), rule)
      if (files === 'unreadable') found.push({ file: nameOf(join(folder, rule.path)), kinds: ['unreadable'] })
      else for (const file of files) await look(folder, join(rule.path, file), rule.kindsIn)
    }
  }
  return found
}

function understand(text: string, kindsIn: (text: string) => readonly SettingKind[]): readonly SettingKind[] {
  try {
    return kindsIn(text)
  } catch {
    return ['unreadable']
  }
}

/** The person's home and the folders above it are not the project's. */
async function foldersAround(workspace: string): Promise<Readonly<Record<Within, readonly string[]>>> {
  // Agents see the real path of their working directory.
  const [start, home] = await Promise.all([realPathOf(workspace), realPathOf(homedir())])
  const all = [start]
  for (let folder = dirname(start); folder !== all.at(-1) && !isAbove(folder, home); folder = dirname(folder)) {
    all.push(folder)
  }
  const root = await findIndex(all, (folder) => isThere(join(folder, '.git')))
  return {
    workspace: [start],
    'git-root': [...new Set([start, ...(root < 0 ? [] : [all[root]!, ...(await mainRootsOf(all[root]!))])])],
    'up-to-git-root': all.slice(0, Math.max(root, 0) + 1),
    'all-above': all,
  }
}

function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/** The root of the repository of a git worktree. Its `.git` is a file that names a folder in that of the repository. */
async function mainRootsOf(root: string): Promise<readonly string[]> {
  const link = await readSmall(join(root, '.git'))
  const folder = link.is === 'text' ? /^gitdir: (.+)$/m.exec(link.text)?.[1] : undefined
  if (folder === undefined) return []
  const own = resolve(root, folder)
  const common = await readSmall(join(own, 'commondir'))
  return common.is === 'text' ? [dirname(resolve(own, common.text.trim()))] : []
}

function isAbove(folder: string, home: string): boolean {
  return !relative(folder, home).startsWith('..')
}

async function findIndex(folders: readonly string[], test: (folder: string) => Promise<boolean>): Promise<number> {
  for (const [index, folder] of folders.entries()) if (await test(folder)) return index
  return -1
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    return !isMissing(error)
  }
}

type Read = { readonly is: 'missing' | 'unreadable' } | { readonly is: 'text'; readonly text: string }

async function readSmall(path: string): Promise<Read> {
  try {
    // A named pipe must not stop the hub.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile() || stat.size > maxBytes) return { is: 'unreadable' }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0)
    if (bytesRead > maxBytes) return { is: 'unreadable' }
    return { is: 'text', text: buffer.toString('utf8', 0, bytesRead) }
  } catch (error) {
    return { is: isMissing(error) ? 'missing' : 'unreadable' }
  }
}

/** The matching files in the folder, relative to it. Follows links to folders, as the agents do, but not in circles. */
async function filesIn(folder: string, { files }: ProjectFolder): Promise<readonly string[] | 'unreadable'> {
  const found: string[] = []
  const open = ['']
  let seen = 0
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    try {
      for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
        if (++seen > maxFiles) return 'unreadable'
        const inside = join(path, entry.name)
        if (entry.isDirectory()) open.push(inside)
        // A link may lead to a folder of settings, and that one back to this one.
        else if (entry.isSymbolicLink() && !files.test(inside)) return 'unreadable'
        else if (files.test(inside)) found.push(inside)
      }
    } catch (error) {
      if (!isMissing(error)) return 'unreadable'
    }
  }
  return found
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
