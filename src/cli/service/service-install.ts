/** `signalbox service install`: writes the unit. The person runs the systemctl commands. */
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { makeDirectory } from '../../base/make-directory.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { homeFlag, loadFor } from '../command/common-flags.ts'
import { reasonOf } from '../command/system-error.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { captureSearchPath } from './search-path.ts'
import { readUnit, renderUnit, systemctlFor, unitName, unitPath } from './service-unit.ts'
import type { ServiceScope } from './service-unit.ts'

export const command = defineCommand({
  about: [
    'Writes a systemd unit that starts this installation of the hub, and prints the two commands to run next. The unit has',
    'the PATH of this shell, so that the hub finds your agents. Nothing else of your environment is in it. A unit for the',
    'whole machine (--system) is only printed, unless you give a --path to write it to. sudo replaces the PATH: pass yours.',
  ].join('\n'),
  flags: {
    system: { about: 'a unit for the machine instead of for this user; runs the hub as you, even under sudo' },
    path: { takes: 'FILE', about: 'where to write the unit (default: ~/.config/systemd/user/signalbox.service)' },
    print: { about: 'print the unit and write nothing' },
    force: { about: 'replace an existing unit that differs' },
    ...homeFlag,
  },
  examples: [
    'signalbox service install',
    'signalbox service install --print',
    'sudo env "PATH=$PATH" signalbox service install --system --path /etc/systemd/system/signalbox.service',
  ],
  async run(args, context) {
    const { config, sources } = await loadFor(args, context)
    const isDefaultHome = sources.some(({ key, from }) => key === 'home' && from === 'default')
    const env = await context.readEnvironment()
    // Under sudo the hub should run as the person, not as root.
    const person = env['SUDO_USER'] || userInfo().username
    const scope: ServiceScope = args.has('system') ? { is: 'system', runAs: person } : { is: 'user' }
    const searchPath = captureSearchPath(env)
    const unit = renderUnit({ bin: signalboxProgram, searchPath, scope, ...(!isDefaultHome && { home: config.home }) })

    const named = args.text('path')
    if (args.has('print') || (scope.is === 'system' && named === undefined)) {
      context.out(unit.trimEnd())
      return 'ok'
    }
    const path = named === undefined ? unitPath('user', env) : resolve(named)
    write(path, unit, { force: args.has('force') })
    const systemctl = systemctlFor(path)
    context.out(`Wrote ${path}. Now run:`)
    context.out(`  ${systemctl} daemon-reload`)
    context.out(`  ${systemctl} enable --now ${unitName}`)
    return 'ok'
  },
})

function write(path: string, unit: string, { force }: { force: boolean }): void {
  const existing = readUnit(path)
  if (existing && existing.text !== unit && !force) {
    throw new CliError('failed', `${path} exists and differs. Compare it with --print, or replace it with --force.`)
  }
  try {
    makeDirectory(dirname(path))
    writeFileSync(path, unit)
  } catch (error) {
    const advice = 'Name another place with --path, or print the unit with --print.'
    throw new CliError('failed', `The unit ${path} cannot be written: ${reasonOf(error)}. ${advice}`, { cause: error })
  }
}
