/** `signalbox restore`: makes a data directory from a backup. The directory appears only when it is complete. */
import { resolve } from 'node:path'
import { findHome } from '../../config/config.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { homeFlag } from '../command/common-flags.ts'
import { reasonOf } from '../command/system-error.ts'
import type { RestoreTarget } from './restore-target.ts'
import { openRestoreTarget } from './restore-target.ts'
import { openStagingDirectory } from './staging-directory.ts'
import { unpack } from './unpack.ts'

export const command = defineCommand({
  takes: '<file>',
  about: [
    'Makes a data directory of a file that "signalbox backup" wrote. It refuses a directory in which a hub or the program',
    'of a session runs. It refuses a directory that is not empty, unless you give --replace, which moves that one aside.',
    'Sessions that ran at the time of the backup have ended. Tokens that were revoked since are valid again.',
    'The restored hub is the same hub as the one in the backup: do not run both.',
  ].join('\n'),
  flags: { replace: { about: 'move an existing data directory aside, and keep it' }, ...homeFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox restore signalbox.tar.gz', 'signalbox restore signalbox.tar.gz --home ~/restored'],
  async run(args, context) {
    const file = resolve(args.words[0]!)
    const env = await context.readEnvironment()
    // A config.yaml in the directory does not matter: the backup brings its own.
    const home = findHome({ flags: { home: args.text('home') }, env })
    using target = await openRestoreTarget(home, { replace: args.has('replace') })
    const directory = `${target.path}.restoring`
    await using _staging = await openStagingDirectory(directory)
    const { created_at, signalbox, store } = await unpack(file, directory)
    const aside = await place(directory, target)

    context.out(`Restored the backup of ${created_at} (signalbox ${signalbox}) to ${home}.`)
    if (aside !== undefined) context.out(`The earlier directory is now ${aside}. It has your workspaces.`)
    if (store === 'postgres') context.out('Its database is not in the backup. Restore it with its own tools.')
    else if (env['DATABASE_URL'])
      context.err('signalbox: warning: DATABASE_URL is set, so the hub uses that database and not the restored one.')
    const flag = args.has('home') ? ` --home ${home}` : ''
    context.out(`Tokens that were revoked since the backup are valid again: see "signalbox token list${flag}".`)
    context.out(`Start the hub with "signalbox up${flag}". It issues a new token for you.`)
    return 'ok'
  },
})

async function place(directory: string, target: RestoreTarget): Promise<string | undefined> {
  try {
    return await target.replaceWith(directory)
  } catch (error) {
    throw new CliError('failed', `${target.path} cannot be replaced: ${reasonOf(error)}. Nothing was restored.`, {
      cause: error,
    })
  }
}
