/**
 * Installs what is missing, and only then: `npm start` and `npm test` call this first, on whatever Node is there (20 or
 * newer). A current node_modules is never touched, since running terminals live from it; an outdated one is brought
 * up to date in place, not wiped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const withDev = process.argv.includes('--dev')

const outdated = firstOutdated(withDev)
if (outdated !== undefined) {
  console.error(`signalbox: installing packages (${outdated}) …`)
  install(withDev)
  const still = firstOutdated(withDev)
  if (still !== undefined) fail(`the installation is not complete: ${still}. Run "npm ci" and read what it says.`)
}

/** Compares the lock file with npm's own record of what is installed. */
function firstOutdated(dev) {
  const wanted = readPackages('package-lock.json')
  const installed = readPackages('node_modules/.package-lock.json')
  if (wanted === undefined) fail('package-lock.json is missing: this is no complete checkout of signalbox.')
  if (installed === undefined) return 'nothing is installed yet'
  for (const [path, { version, optional, dev: devOnly, os, cpu }] of Object.entries(wanted)) {
    if (path === '' || (devOnly && !dev)) continue
    if (optional && !(isForThisMachine(os, process.platform) && isForThisMachine(cpu, process.arch) && isNode(path)))
      continue
    const there = installed[path]
    if (there?.version !== version) return `${path.replace(/^.*node_modules\//, '')} ${version}`
  }
  return undefined
}

function readPackages(file) {
  const path = join(root, file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined
}

function isForThisMachine(allowed, actual) {
  return allowed === undefined || allowed.includes(actual)
}

/** Other optional packages are platform bindings that npm picks; the Node binary is the one we cannot do without. */
function isNode(path) {
  return /node_modules\/node-(bin-)?(linux|darwin)-/.test(path)
}

function install(dev) {
  const verb = existsSync(join(root, 'node_modules')) ? ['install', '--no-save'] : ['ci']
  const args = [...verb, ...(dev ? ['--include=dev'] : ['--omit=dev']), '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) fail(`npm could not be run: ${error.message}. Install npm 10 or newer.`)
  if (status !== 0) fail(`"npm ${args.join(' ')}" failed with exit code ${status}; see above.`)
}

function fail(message) {
  console.error(`signalbox: ${message}`)
  process.exit(1)
}
