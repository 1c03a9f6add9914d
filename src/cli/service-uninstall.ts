/** `signalbox service uninstall` */
import { rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { readUnit, systemctlFor, unitName, unitPath } from './service-unit.ts'

export const command = defineCommand({
  about:
    'Removes the unit that "signalbox service install" wrote. A hub that runs under it goes on until it is stopped.',
  flags: {
    path: { takes: 'FILE', about: 'the unit (default: ~/.config/systemd/user/signalbox.service)' },
    force: { about: 'remove it even if it was written by hand' },
  },
  examples: ['signalbox service uninstall'],
  async run(args, context) {
    const named = args.text('path')
    const path = named === undefined ? unitPath('user', await context.readEnvironment()) : resolve(named)
    const there = readUnit(path)
    if (!there) {
      context.out(`There is no unit at ${path}.`)
      return 'ok'
    }
    if (!there.isOurs && !args.has('force')) {
      throw new CliError('failed', `${path} was not written by Signalbox; remove it with --force if it should go.`)
    }
    rmSync(path)
    // What "systemctl enable" made; systemctl itself no longer touches it once the unit is gone.
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
