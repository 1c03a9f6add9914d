/**
 * Builds the page into dist/page: index.html, assets with a hash in their names, each also compressed, and the few files
 * that need a fixed name: the service worker, the manifest, the icons and the offline page. `npm start` and the tests build
 * it when it is missing or older than its sources. The package ships it built.
 *
 * A browser may still show the last build, and load a part of it later. So its assets stay for a week.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { isNewerThan } from './freshness.ts'

const root = join(import.meta.dirname, '..')

/** Where the hub looks for the page. */
export const builtPage = join(root, 'dist/page')

/** `src/api` and `src/client` are the parts of the hub that the page imports, with what they import. */
const sources = ['web', 'src/api', 'src/client', 'src/base', 'scripts/page.ts', 'scripts/icons.ts', 'package-lock.json']

const keptMs = 7 * 24 * 60 * 60_000

/** Fonts are compressed already. */
const compressed = new Set(['.js', '.css', '.svg'])

const index = join(builtPage, 'index.html')

/** In a process of its own, because React is built for development if NODE_ENV says so, as in tests. */
export function buildPageIfStale(): void {
  if (isNewerThan(index, sources)) return
  execFileSync(process.execPath, [import.meta.filename], { stdio: ['ignore', 'inherit', 'inherit'] })
}

async function buildPage(): Promise<void> {
  const startedAt = new Date()
  const building = join(root, `.cache/page-${process.pid}`)
  await bundle(building)
  const { drawIcons } = await import('./icons.ts')
  drawIcons(building)
  const assets = join(building, 'assets')
  for (const name of readdirSync(assets)) compress(join(assets, name))
  mkdirSync(join(builtPage, 'assets'), { recursive: true })
  removeOld(join(builtPage, 'assets'), new Set(readdirSync(assets)))
  cpSync(assets, join(builtPage, 'assets'), { recursive: true })
  const isFile = (name: string) => name !== 'assets' && name !== 'index.html'
  for (const name of readdirSync(building).filter(isFile)) cpSync(join(building, name), join(builtPage, name))
  // A file that changes during the build is newer than the index, so the page counts as stale.
  utimesSync(join(building, 'index.html'), startedAt, startedAt)
  renameSync(join(building, 'index.html'), index)
  rmSync(building, { recursive: true })
}

async function bundle(outDir: string): Promise<void> {
  // Loading these takes longer than checking whether the page is fresh.
  const [{ build }, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ])
  await build({
    configFile: false,
    root: join(root, 'web'),
    // Relative, so that a proxy can serve the hub below any path.
    base: './',
    logLevel: 'error',
    plugins: [react(), tailwind()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy does not allow inline files.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: [join(root, 'web/index.html'), join(root, 'web/worker/sw.ts')],
        // The path of a service worker says which pages it serves, and browsers find its next version by its name.
        output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
      },
    },
  })
}

function compress(file: string): void {
  if (!compressed.has(extname(file))) return
  const content = readFileSync(file)
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })
  writeFileSync(`${file}.br`, brotli)
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

function removeOld(assets: string, current: ReadonlySet<string>): void {
  for (const name of readdirSync(assets)) {
    const file = join(assets, name)
    if (!current.has(name) && Date.now() - statSync(file).mtimeMs > keptMs) rmSync(file)
  }
}

if (import.meta.main && !isNewerThan(index, sources)) {
  process.env['NODE_ENV'] = 'production'
  await buildPage()
}
