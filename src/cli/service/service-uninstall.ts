/** `signalbox service uninstall` */
import { rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { readUnit, systemctlFor, unitName, unitPath } from './service-unit.ts'

export const command = defineCommand({
  about: 'Removes the unit that "signalbox service install" wrote. A running hub keeps running until you stop it.',
  flags: {
    path: { takes: 'FILE', about: 'the unit (default: ~/.config/systemd/user/signalbox.service)' },
    force: { about: 'remove it even if it was written by hand' },
  },
  examples: ['signalbox service uninstall'],
  async run(args, context) {
    const named = args.text('path')
    const path = named === undefined ? unitPath('user', await context.readEnvironment()) : resolve(named)
    const existing = readUnit(path)
    if (!existing) {
      context.out(`There is no unit at ${path}.`)
      return 'ok'
    }
    if (!existing.isOurs && !args.has('force')) {
      throw new CliError('failed', `${path} was not written by Signalbox. Remove it with --force.`)
    }
    rmSync(path)
    // Removes the links of "systemctl enable": systemctl does not remove them without the unit.
    for (const target of ['default', 'multi-user']) {
      rmSync(join(dirname(path), `${target}.target.wants`, unitName), { force: true })
    }
    const systemctl = systemctlFor(path)
    context.out(`Removed ${path}. Now run:`)
    context.out(`  ${systemctl} stop ${unitName}`)
    context.out(`  ${systemctl} daemon-reload`)
    return 'ok'
  },
})
