/** `signalbox service status` */
import { defineCommand } from '../command/command.ts'
import type { Environment } from '../../config/config.ts'
import { jsonFlag } from '../command/common-flags.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { runProgram } from '../command/run-program.ts'
import { missedAgents } from './search-path.ts'
import { faultsOf, readUnit, unitName, unitPath } from './service-unit.ts'

export const command = defineCommand({
  about: [
    'Shows whether a unit is installed for this user or for the machine, whether it is correct and finds your agents, and',
    'whether it runs.',
  ].join('\n'),
  flags: { ...jsonFlag },
  examples: ['signalbox service status'],
  async run(args, context) {
    const env = await context.readEnvironment()
    const units = await Promise.all([inspect('user', env), inspect('system', env)])
    if (args.has('json')) {
      context.out(JSON.stringify({ units }, null, 2))
      return 'ok'
    }
    for (const unit of units) {
      context.out(unit.installed ? `${unit.scope}: ${unit.path}, ${unit.runs}` : `${unit.scope}: not installed`)
      for (const { says, mend } of unit.faults) context.out(`  ${says}; ${mend}`)
    }
    return 'ok'
  },
})

async function inspect(scope: 'user' | 'system', env: Environment) {
  const path = unitPath(scope, env)
  const unit = readUnit(path)
  return {
    scope,
    path,
    installed: unit !== undefined,
    runs: unit === undefined ? 'not installed' : await stateOf(scope, env),
    faults: unit === undefined ? [] : [...faultsOf(unit, signalboxProgram), ...missedAgents(unit, env)],
  }
}

async function stateOf(scope: 'user' | 'system', env: Environment): Promise<string> {
  const args = [...(scope === 'user' ? ['--user'] : []), 'is-active', unitName]
  const outcome = await runProgram('systemctl', args, { env, within: 'person', timeoutMs: 5000 })
  switch (outcome.is) {
    case 'ended':
      return stateIn(outcome.output.trim())
    case 'missing':
      return 'state unknown: systemctl is not installed'
    case 'timed-out':
      return 'state unknown: systemctl does not answer'
    case 'failed':
      return `state unknown: ${outcome.reason}`
  }
}

/** `active`, `inactive`, `failed` and the like are one word. Everything else is a complaint of systemctl. */
function stateIn(output: string): string {
  if (/^[a-z-]+$/.test(output)) return output
  return output === '' ? 'state unknown' : `state unknown: systemctl says "${output}"`
}
