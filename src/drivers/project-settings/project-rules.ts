/** The files in a workspace by which a project can decide what an agent runs. Each agent has rules of this shape. */

/** What a file of the project sets. `unreadable`: the hub could not look, so it may set anything. */
export const settingKinds = [
  'hooks',
  'plugins',
  'environment',
  'helpers',
  'permissions',
  'servers',
  'tools',
  'commands',
  'other',
  'unreadable',
] as const
export type SettingKind = (typeof settingKinds)[number]

export interface ProjectSetting {
  /** Relative to the workspace; absolute if it is above. */
  readonly file: string
  readonly kinds: readonly SettingKind[]
}

/**
 * Where the agent looks for a file: in the workspace, there and at the root of its git repository (of a worktree, also
 * that of its repository), there and in every folder up to that root, or there and in every folder above.
 */
export type Within = 'workspace' | 'git-root' | 'up-to-git-root' | 'all-above'

interface ProjectPath {
  /** Relative to a folder within reach. */
  readonly path: string
  readonly within: Within
  /** Pure. None if the text sets nothing that matters. */
  kindsIn(text: string): readonly SettingKind[]
}

export interface ProjectFolder extends ProjectPath {
  /** Of the files in the folder, at any depth, the agent reads these. */
  readonly files: RegExp
}

export interface ProjectRules {
  readonly files: readonly ProjectPath[]
  readonly folders: readonly ProjectFolder[]
}

/** Keys of a settings file that decide nothing about what runs are `harmless`. An unknown key may decide anything. */
export interface KnownKeys {
  readonly harmless: ReadonlySet<string>
  readonly kinds: Readonly<Record<string, SettingKind>>
}

export function kindsOfKeys(settings: unknown, { harmless, kinds }: KnownKeys): readonly SettingKind[] {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return ['unreadable']
  const found = Object.entries(settings)
    .filter(([key, value]) => !harmless.has(key) && !setsNothing(value))
    .map(([key]) => (Object.hasOwn(kinds, key) ? kinds[key]! : 'other'))
  return [...new Set(found)]
}

/** An empty list does say something: "no hook may call this address". */
function setsNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}

/** For a file that sets something because it is there. */
export function always(kind: SettingKind): (text: string) => readonly SettingKind[] {
  return () => [kind]
}

/** The kinds of the keys in the block between `---` at the beginning of a Markdown file. */
export function kindsInFrontMatter(text: string, kinds: KnownKeys['kinds']): readonly SettingKind[] {
  const keys = frontMatterKeys(text)
  if (keys.includes(undefined)) return ['unreadable']
  return [...new Set(keys.flatMap((key) => (Object.hasOwn(kinds, key!) ? kinds[key!]! : [])))]
}

/**
 * `undefined` stands for a line that is neither a key nor part of a value, such as a mapping in braces: it may set
 * anything. Agents accept blanks after `---`, and the end of the block within a line. So the block is read as far as any
 * of them may read it.
 */
function frontMatterKeys(text: string): readonly (string | undefined)[] {
  const [opening = '', ...lines] = text.trimStart().split(/\r\n?|\n/)
  if (!opening.startsWith('---') || !lines.some((line) => line.includes('---'))) return []
  if (opening.trimEnd() !== '---') return [undefined]
  const end = lines.findIndex((line) => line.trimEnd() === '---')
  const block = (end < 0 ? lines : lines.slice(0, end)).filter((line) => !/^\s*(#|$)/.test(line))
  const indent = indentOf(block[0] ?? '')
  // Agents count a tab in their own way.
  const isAtTop = (line: string) => indentOf(line) <= indent || /^ *\t/.test(line)
  return block.filter((line) => isAtTop(line) && !/^\s*-(\s|$)/.test(line)).map(keyOf)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function keyOf(line: string): string | undefined {
  const name = line.slice(0, Math.max(0, line.search(/:(\s|$)/))).trim()
  return /^(["']?)([A-Za-z_][\w .-]*)\1$/.exec(name)?.[2]
}

/** The kinds whose pattern the text matches. */
export function kindsMatching(
  text: string,
  patterns: Readonly<Partial<Record<SettingKind, RegExp>>>,
): readonly SettingKind[] {
  return (Object.keys(patterns) as SettingKind[]).filter((kind) => patterns[kind]!.test(text))
}
