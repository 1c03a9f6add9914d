/**
 * `signalbox backup`: one file with the data that a hub cannot make again. It reads the files of the data directory
 * itself, so it works with and without a running hub.
 */
import { existsSync } from 'node:fs'
import { access, open, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { homeFlag, loadFor } from '../command/common-flags.ts'
import { reasonOf } from '../command/system-error.ts'
import { createManifest, databases, manifestName } from './backup-parts.ts'
import type { Manifest } from './backup-parts.ts'
import { collectFile, collectFiles } from './collect-files.ts'
import { copyDatabase } from './copy-database.ts'
import { openStagingDirectory } from './staging-directory.ts'
import type { TarFile } from './tar-writer.ts'
import { writeTar } from './tar-writer.ts'

export const command = defineCommand({
  takes: '<file>',
  about: [
    'Writes the databases, the keys, config.yaml and your templates into one file, a gzipped tar, also while the hub runs.',
    'Everything that the hub acknowledged before is in it. Only you can read the file: it holds keys and token hashes.',
    'It does not hold your token file, logins at upstreams and workspaces. With DATABASE_URL it does not hold the database,',
    'which has tools of its own, such as pg_dump.',
  ].join('\n'),
  flags: { journals: { about: 'also the output of all sessions' }, ...homeFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox backup signalbox.tar.gz', 'signalbox backup --journals /mnt/usb/signalbox.tar.gz'],
  async run(args, context) {
    const { config } = await loadFor(args, context)
    const { home, databaseUrl } = config
    const [name = ''] = args.words
    if (name === '-')
      throw new CliError('usage', 'A backup is not written to stdout. Name a file, such as signalbox.tar.gz.')
    const path = resolve(name)
    if (existsSync(path)) throw new CliError('failed', `${path} exists. Name another file, or remove it first.`)
    if (!existsSync(join(home, databaseUrl === undefined ? 'hub.db' : 'hub.key'))) {
      throw new CliError('failed', `There is no hub in ${home} to back up. Name its data directory with --home.`)
    }
    const store = databaseUrl === undefined ? 'sqlite' : 'postgres'
    await write(path, home, createManifest({ store, journals: args.has('journals') }))
    context.out(`Wrote ${path}. It holds keys and token hashes, so keep it private.`)
    if (store === 'postgres') {
      context.err(
        'signalbox: warning: the database of DATABASE_URL is not in this file. Back it up with its own tools, such as pg_dump.',
      )
    }
    return 'ok'
  },
})

/** The file appears when it is complete. */
async function write(path: string, home: string, manifest: Manifest): Promise<void> {
  // A directory that is missing is a typing error, or a disk that is not mounted.
  await access(dirname(path)).catch((error: unknown) => {
    throw new CliError('failed', `${path} cannot be written: ${reasonOf(error)}.`, { cause: error })
  })
  const directory = `${path}.part`
  await using _staging = await openStagingDirectory(directory)
  const unfinished = join(directory, 'backup.tar.gz')
  try {
    await using file = await open(unfinished, 'wx', 0o600)
    const archive = Readable.from(writeTar(contentOf(home, directory, manifest)))
    await pipeline(archive, createGzip(), file.createWriteStream({ flush: true }))
    await rename(unfinished, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new CliError('failed', `${path} cannot be written: ${reasonOf(error)}.`, { cause: error })
  }
}

async function* contentOf(home: string, copies: string, manifest: Manifest): AsyncGenerator<TarFile> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { path: manifestName, mode: 0o600, modifiedAt: new Date(), size: text.length, content: [text] }
  if (manifest.store === 'sqlite') {
    const copied = databases.filter((name) => copyDatabase(name, { from: home, to: copies }))
    for (const name of copied) yield* collectFile(copies, name)
  }
  // After the databases, so that every session in them has its journal.
  yield* collectFiles({ home, journals: manifest.journals })
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r')
  await directory.sync()
}
