/**
 * Installs missing packages. `npm start` and `npm test` run this first, on the Node that is installed (20 or newer). It
 * does not touch a node_modules that is up to date, because running holders load code from it. It updates an outdated one
 * in place and never deletes it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const withDev = process.argv.includes('--dev')

const outdated = firstOutdated(withDev)
if (outdated !== undefined) {
  console.error(`signalbox: installing packages (${outdated}) …`)
  install(withDev)
  const still = firstOutdated(withDev)
  if (still !== undefined) fail(`the installation is incomplete: ${still} is missing. Run "npm ci" to see why.`)
}
// Tells bin/signalbox that the packages are up to date until the lock file changes.
const now = new Date()
utimesSync(join(root, 'node_modules/.package-lock.json'), now, now)

/** Compares the lock file with npm's own record of the installed packages. */
function firstOutdated(dev) {
  const wanted = readPackages('package-lock.json')
  const installed = readPackages('node_modules/.package-lock.json')
  if (wanted === undefined)
    fail('package-lock.json is missing. Check signalbox out again: this checkout is incomplete.')
  if (installed === undefined) return 'nothing is installed yet'
  for (const [path, { version, optional, dev: devOnly, os, cpu }] of Object.entries(wanted)) {
    if (path === '' || (devOnly && !dev)) continue
    if (optional && !(isForThisMachine(os, process.platform) && isForThisMachine(cpu, process.arch) && isNode(path)))
      continue
    const found = installed[path]
    if (found?.version !== version) return `${path.replace(/^.*node_modules\//, '')} ${version}`
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

/** npm chooses the other optional packages, which are platform bindings. Only the Node binary is required. */
function isNode(path) {
  return /node_modules\/node-(bin-)?(linux|darwin)-/.test(path)
}

function install(dev) {
  const verb = existsSync(join(root, 'node_modules')) ? ['install', '--no-save'] : ['ci']
  const args = [...verb, ...(dev ? ['--include=dev'] : ['--omit=dev']), '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) fail(`npm did not start: ${error.message}. Install npm 10 or newer.`)
  if (status !== 0) fail(`"npm ${args.join(' ')}" failed with exit code ${status}. Its messages are above.`)
}

function fail(message) {
  console.error(`signalbox: ${message}`)
  process.exit(1)
}
