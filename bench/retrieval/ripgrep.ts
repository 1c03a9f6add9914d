/** Files that contain the most different words of the question. Among those, the ones with the most matches first. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { keywordsOf } from './keywords.ts'
import { rootOf } from './repositories.ts'
import type { System } from './system.ts'

const run = promisify(execFile)

export function createRipgrep(): System {
  return {
    name: 'ripgrep, keywords',
    index: async () => {},
    search: async (repository, question) => filesWithWords(rootOf(repository), keywordsOf(question)),
    [Symbol.asyncDispose]: async () => {},
  }
}

export async function filesWithWords(
  root: string,
  words: readonly string[],
  onStart?: (pid: number) => void,
): Promise<readonly string[]> {
  // A longer word first: of two that match at the same place, ripgrep takes the first.
  const patterns = words.toSorted((a, b) => b.length - a.length).flatMap((word) => ['-e', word])
  if (patterns.length === 0) return []
  const flags = ['--only-matching', '--ignore-case', '--fixed-strings', '--no-line-number', '--no-heading', '--null']
  const output = await matchesOf([...flags, '--with-filename', ...patterns, '--', '.'], root, onStart)
  const files = new Map<string, { readonly found: Set<string>; matches: number }>()
  for (const line of output.split('\n')) {
    const [path, match] = line.split('\0')
    if (path === undefined || match === undefined) continue
    const file = files.get(path) ?? { found: new Set(), matches: 0 }
    files.set(path, file)
    file.found.add(match.toLowerCase())
    file.matches++
  }
  const ranked = [...files].map(([path, { found, matches }]) => {
    const distinct = words.filter((word) => [...found].some((match) => match.includes(word))).length
    return { path: path.replace(/^\.\//, ''), distinct, matches }
  })
  ranked.sort((a, b) => b.distinct - a.distinct || b.matches - a.matches || (a.path < b.path ? -1 : 1))
  return ranked.map(({ path }) => path)
}

async function matchesOf(args: readonly string[], cwd: string, onStart?: (pid: number) => void): Promise<string> {
  try {
    const running = run('rg', args, { cwd, maxBuffer: 1 << 30 })
    onStart?.(running.child.pid!)
    return (await running).stdout
  } catch (error) {
    // It exits with 1 when nothing matches.
    if ((error as { code?: unknown }).code === 1) return ''
    throw error
  }
}
