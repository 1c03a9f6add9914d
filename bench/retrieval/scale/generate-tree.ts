/** A large repository: copies of the real ones, whose compound names differ from copy to copy. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { benchDirectory, repositories, rootOf } from '../repositories.ts'

/** A word that each copy adds to its names. */
const words = 'Amber Birch Cedar Delta Ember Fjord Grove Heron Indigo Juniper Kestrel Larch'.split(' ')

export function largeTree(files: number): string {
  const root = join(benchDirectory, `tree-of-${files}-files`)
  if (!existsSync(root)) generate(root, files)
  return root
}

function generate(root: string, files: number): void {
  process.stderr.write(`signalbox: writing ${files} files …\n`)
  const unfinished = `${root}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  let written = 0
  for (const file of copiedFiles()) {
    if (written === files) break
    const path = join(unfinished, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    written++
  }
  if (written < files) throw new Error(`There are only ${written} files. Add words to the list in this file.`)
  git(['init', '--quiet'], unfinished)
  git(['add', '--all', '--force'], unfinished)
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false']
  git([...author, 'commit', '--quiet', '--message', `${files} files`], unfinished)
  renameSync(unfinished, root)
}

function* copiedFiles(): Generator<{ readonly path: string; readonly text: string }> {
  for (const word of words) {
    for (const repository of repositories) {
      const root = rootOf(repository)
      for (const path of git(['ls-files', '-z'], root).split('\0')) {
        if (path === '') continue
        const bytes = readFileSync(join(root, path))
        if (bytes.includes(0)) continue
        yield { path: join(word.toLowerCase(), repository.name, path), text: renamed(bytes.toString('utf8'), word) }
      }
    }
  }
}

/** `getUserName` becomes `getAmberUserName`, and `get_user` becomes `get_amber_user`. */
function renamed(text: string, word: string): string {
  return text
    .replaceAll(/\b([a-z]{2,})(?=[A-Z][a-z])/g, `$1${word}`)
    .replaceAll(/\b([a-z]{2,}_)(?=[a-z]{2,})/g, `$1${word.toLowerCase()}_`)
}

function git(args: readonly string[], cwd: string): string {
  const { status, stdout } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 2],
  })
  if (status !== 0) throw new Error(`"git ${args.join(' ')}" failed in ${cwd}; see above.`)
  return stdout
}
