/**
 * Bundles the program into a few files instead of hundreds. The package ships a bundle, and `npm start` and the tests run
 * one. The bundles of a checkout are in .cache/bundles, each in a folder named by the hash of its content; the file
 * `current` names the newest. Holders run from them for weeks, so a bundle is removed only when no process uses it.
 */
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { OutputOptions, Plugin } from 'rolldown'
import { isNewerThan } from './freshness.ts'

const root = join(import.meta.dirname, '..')

/** The bundles of this checkout. */
export const checkoutBundles = { bundles: join(root, '.cache/bundles') } satisfies BundleOptions

/** The programs and modules that are loaded by file name, at the paths where `siblingModule` looks for them. */
const programs = {
  signalbox: 'src/signalbox.js',
  'checkpoint-thread': 'src/events/checkpoint-thread.ts',
  'draw-worker': 'src/terminal/screenshot/draw-worker.ts',
  'history-worker': 'src/terminal/history/history-worker.ts',
  'index-worker': 'src/index/index-worker.ts',
  'parse-worker': 'src/upstream/parse-worker.ts',
  'pattern-worker': 'src/terminal/pattern-worker.ts',
  'plan-worker': 'src/git/plan-worker.ts',
  'query-worker': 'src/index/query-worker.ts',
  sdk: 'src/endpoint/sdk.ts',
}
/** A bundle of its own, so that each of many holders loads only the code it needs. */
const holder = { 'holder/holder': 'src/terminal/holder/holder.ts' }

/** Packages with native parts, and large packages that are rarely loaded. */
const external = [
  /^@lydell\/node-pty/,
  /^@napi-rs\/canvas/,
  /^pg$/,
  /^undici$/,
  /^@modelcontextprotocol\/client/,
  /^web-tree-sitter$/,
  /^@ai-sdk\//,
  /^@opentelemetry\//,
]

/** The code that nearly every command needs, in one file: each further file costs half a millisecond. */
const common = { name: 'common', test: /src\/(base|cli|client|config)\/|eventsource-parser/, minShareCount: 12 }

export async function writeBundle(directory: string, more: Entries = {}): Promise<void> {
  await write(directory, { ...programs, ...more }, { groups: [common] })
  await write(directory, holder, true)
}

type Entries = Readonly<Record<string, string>>

async function write(
  dir: string,
  input: Entries,
  codeSplitting: NonNullable<OutputOptions['codeSplitting']>,
): Promise<void> {
  await using bundle = await rolldown({ cwd: root, input, platform: 'node', resolve, external, checks })
  const fileNames = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
  // A start reads all code, but no documentation.
  const comments = { jsdoc: false }
  await bundle.write({ dir, format: 'esm', ...fileNames, comments, codeSplitting, plugins: [leanBuiltins] })
}

/** The main file of jsonc-parser is UMD, which bundlers cannot follow. Its `module` file works. */
const resolve = { mainFields: ['module', 'main'] }

/** `commands.ts` imports every command dynamically, and help is also imported statically. That is intended. */
const checks = { ineffectiveDynamicImport: false }

/**
 * An import of a builtin module reads all its exports, and reading some of them loads more code: `node:http` loads `fetch`,
 * `node:fs` its promises and streams, `node:crypto` WebCrypto. A command would spend more time on these than on its work.
 */
const leanBuiltins: Plugin = {
  name: 'lean-builtins',
  // The first file has to run on any Node, to report one that is too old.
  renderChunk: (code, { name }) =>
    name === 'signalbox' ? code : code.replaceAll(/^import (.+) from "(node:[\w/]+)";$/gm, toLookup),
}

/** Handles `import { a, b as c } from "node:x"`, `import x from …` and `import * as x from …`. */
function toLookup(_: string, clause: string, builtin: string): string {
  const names = clause.startsWith('{') ? clause.replaceAll(' as ', ': ') : clause.replace('* as ', '')
  if (names.includes('default:')) throw new Error(`lean-builtins cannot rewrite: import ${clause} from "${builtin}"`)
  return `const ${names} = process.getBuiltinModule("${builtin}");`
}

export interface BundleOptions {
  /** The folder with all bundles. */
  readonly bundles: string
  /** Further programs, by their names in the bundle. */
  readonly more?: Entries
  /** Further files and folders of the checkout that the bundle is built from. */
  readonly sources?: readonly string[]
}

/** Returns the folder of the current bundle. Builds a new one if the sources have changed. */
export async function currentBundle({ bundles, more = {}, sources = [] }: BundleOptions): Promise<string> {
  const stamp = join(bundles, 'current')
  const fresh = freshBundle(bundles, stamp, sources)
  if (fresh !== undefined) return fresh

  const startedAt = new Date()
  const building = join(bundles, `building-${process.pid}`)
  rmSync(building, { recursive: true, force: true })
  await writeBundle(building, more)
  const name = hashOf(building)
  const bundle = join(bundles, name)
  if (existsSync(bundle)) rmSync(building, { recursive: true })
  else renameSync(building, bundle)

  const nextStamp = `${stamp}-${process.pid}`
  writeFileSync(nextStamp, `${name}\n`)
  // A file that changes during the build is newer than the stamp, so the bundle counts as stale.
  utimesSync(nextStamp, startedAt, startedAt)
  renameSync(nextStamp, stamp)
  removeUnused(bundles, name, runningCommandLines())
  return bundle
}

function freshBundle(bundles: string, stamp: string, more: readonly string[]): string | undefined {
  if (!isNewerThan(stamp, ['src', 'scripts/bundle.ts', 'package-lock.json', ...more])) return undefined
  const bundle = join(bundles, readFileSync(stamp, 'utf8').trim())
  return existsSync(join(bundle, 'signalbox.mjs')) ? bundle : undefined
}

function hashOf(directory: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!file.endsWith('.mjs')) continue
    hash.update(`${file}\0`).update(readFileSync(join(directory, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Every process that runs from a bundle has its folder in the command line: the hub, its holders, all commands. */
export function removeUnused(bundles: string, current: string, commandLines: CommandLines | undefined): void {
  if (commandLines === undefined) return
  for (const name of readdirSync(bundles).filter((each) => /^[0-9a-f]{16}$/.test(each) && each !== current)) {
    // Compares only the name of the folder: a process in a container has another path before it.
    if (commandLines.some((line) => line.includes(`/${name}/`))) continue
    rmSync(join(bundles, name), { recursive: true, force: true })
  }
}

type CommandLines = readonly string[]

/** `undefined` if some processes are not visible. */
export function runningCommandLines(proc = '/proc'): CommandLines | undefined {
  try {
    if (!existsSync(proc)) return execFileSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' }).split('\n')
    const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name))
    // A system that hides the processes of other users hides pid 1 too.
    if (!pids.includes('1')) return undefined
    return pids.flatMap((pid) => {
      try {
        return [readFileSync(join(proc, pid, 'cmdline'), 'utf8')]
      } catch (error) {
        // The process has ended meanwhile.
        if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
        throw error
      }
    })
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const [directory] = process.argv.slice(2)
  if (directory === undefined) await currentBundle(checkoutBundles)
  else await writeBundle(directory, { index: 'src/index.ts' })
}
