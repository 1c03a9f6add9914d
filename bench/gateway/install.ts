/** Installs the gateways that `npm run bench:gateway` compares with, once. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GatewayName, gateways, gatewaysDirectory, programOf } from './installed.ts'

const names = Object.keys(gateways) as GatewayName[]
if (names.some((name) => programOf(name) === undefined)) {
  const wanted = names.map((name) => `${name}@${gateways[name]}`)
  console.error(`signalbox: installing ${wanted.join(', ')} …`)
  mkdirSync(gatewaysDirectory, { recursive: true })
  writeFileSync(join(gatewaysDirectory, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error', ...wanted]
  const { status } = spawnSync('npm', args, { cwd: gatewaysDirectory, stdio: ['ignore', 2, 2] })
  // The benchmark reports which of them are installed.
  if (status !== 0) console.error(`signalbox: "npm ${args.join(' ')}" failed; see above.`)
}
