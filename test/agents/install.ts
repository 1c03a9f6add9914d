/** Installs the agents for `npm run test:agents` if they are missing, about 1.3 GB. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentPrograms, agents, agentsDirectory, installedVersion } from './agents.ts'

const missing = agents.filter((agent) => installedVersion(agent) !== agent.version)
if (missing.length > 0) {
  const wanted = agents.map((agent) => `${agent.package}@${agent.version}`)
  console.error(`signalbox: installing ${wanted.join(', ')} …`)
  mkdirSync(agentsDirectory, { recursive: true })
  writeFileSync(join(agentsDirectory, 'package.json'), '{ "private": true }\n')
  // The agents' install scripts must run, because they install the binaries.
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error', ...wanted]
  const { status } = spawnSync('npm', args, { cwd: agentsDirectory, stdio: ['ignore', 2, 2] })
  // The tests report which agents are missing, and whether that is a failure.
  if (status !== 0) console.error(`signalbox: "npm ${args.join(' ')}" failed. See its output above.`)
}

rmSync(agentPrograms, { recursive: true, force: true })
mkdirSync(agentPrograms)
for (const { name } of agents) symlinkSync(`../node_modules/.bin/${name}`, join(agentPrograms, name))
symlinkSync(process.execPath, join(agentPrograms, 'node'))
