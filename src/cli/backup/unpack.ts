/** Unpacks a backup into an empty directory. It trusts nothing in the file. */
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'
import type { Manifest } from './backup-parts.ts'
import { databases, isPart, manifestName, readManifest } from './backup-parts.ts'
import { damageOf } from './copy-database.ts'
import type { TarEntry } from './tar-reader.ts'
import { DamagedArchive, readTar } from './tar-reader.ts'

export async function unpack(file: string, directory: string): Promise<Manifest> {
  try {
    const manifest = await pipeline(createReadStream(file), createGunzip(), (bytes) =>
      unpackEntries(readTar(bytes as AsyncIterable<Buffer>), directory),
    )
    checkDatabases(directory, manifest)
    return manifest
  } catch (error) {
    if (error instanceof CliError) throw error
    const isDamage = error instanceof DamagedArchive || (error instanceof Error && 'code' in error && isZlib(error))
    const what = isDamage ? 'is damaged, or not a backup of Signalbox' : 'cannot be restored'
    throw new CliError('failed', `${file} ${what}: ${reasonOf(error)}. Nothing was restored.`, { cause: error })
  }
}

function isZlib({ code }: Error & { code: unknown }): boolean {
  return typeof code === 'string' && code.startsWith('Z_')
}

async function unpackEntries(entries: AsyncIterable<TarEntry>, directory: string): Promise<Manifest> {
  let manifest: Manifest | undefined
  for await (const entry of entries) {
    if (manifest) {
      await writeEntry(entry, directory)
    } else {
      manifest = await manifestIn(entry)
      if (!manifest) throw new DamagedArchive(`it does not begin with ${manifestName}`)
    }
  }
  if (!manifest) throw new DamagedArchive('it is empty')
  return manifest
}

const maxManifestBytes = 64 * 1024

async function manifestIn({ path, isFile, content }: TarEntry): Promise<Manifest | undefined> {
  if (path !== manifestName || !isFile) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > maxManifestBytes) return undefined
    chunks.push(chunk)
  }
  return readManifest(Buffer.concat(chunks).toString())
}

async function writeEntry({ path, isFile, mode, content }: TarEntry, directory: string): Promise<void> {
  if (!isFile || !isPart(path)) throw new DamagedArchive(`"${path}" does not belong in a backup`)
  const place = join(directory, path)
  if (existsSync(place)) throw new DamagedArchive(`"${path}" is in it twice`)
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  // The owner may run scripts of templates. Other users get nothing, whatever the archive says.
  await using file = await open(place, 'wx', 0o600 | (mode & 0o100))
  for await (const chunk of content) await file.writeFile(chunk)
  await file.sync()
}

function checkDatabases(directory: string, { store }: Manifest): void {
  if (store === 'postgres') return
  if (!existsSync(join(directory, 'hub.db'))) throw new DamagedArchive('hub.db is missing')
  for (const name of databases.filter((each) => existsSync(join(directory, each)))) {
    const damage = damageOf(join(directory, name))
    if (damage !== undefined) throw new DamagedArchive(`${name}: ${damage}`)
  }
}
