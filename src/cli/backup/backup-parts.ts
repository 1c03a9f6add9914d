/** The parts of a data directory that belong to a backup, and the description that comes first in it. */
import { z } from 'zod'
import { packageVersion } from '../../base/package-files.ts'
import { CliError } from '../command/cli-error.ts'

/**
 * Copied in this order. The hub records a call before it runs, so the event log is copied last: it then has the event
 * of every call in the other databases.
 */
export const databases = ['connections.db', 'hub.db', 'events.db'] as const

/** Folders that people fill. */
export const personalFolders = ['templates', 'activity'] as const

/**
 * A session's `holder.json` is not a part: it has the address of a living holder, and a restored hub would take over the
 * programs of the hub it was copied from.
 */
const parts = [
  /^(connections|hub|events)\.db$/,
  /^[\w-]+\.key$/,
  /^config\.yaml$/,
  /^(templates|activity)\/./,
  /^sessions\/[\w-]+\/(screen\.json|stderr|stderr\.older|journal\/\d{16}\.(raw|ndjson|input))$/,
]

/** Whether a restore may write this path: a part of a backup, and inside the directory. */
export function isPart(path: string): boolean {
  const isInside = path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  return isInside && parts.some((part) => part.test(path))
}

export const manifestName = 'backup.json'
const format = 1

const manifestSchema = z.object({
  format: z.int(),
  /** The release that wrote it. */
  signalbox: z.string(),
  created_at: z.string(),
  /** With `postgres` the database is not in the backup. */
  store: z.enum(['sqlite', 'postgres']),
  journals: z.boolean(),
})

export type Manifest = z.output<typeof manifestSchema>

export function createManifest(given: Pick<Manifest, 'store' | 'journals'>): Manifest {
  return { format, signalbox: packageVersion(), created_at: new Date().toISOString(), ...given }
}

/** `undefined` if it is not one of ours. Throws if a newer release wrote it. */
export function readManifest(text: string): Manifest | undefined {
  const { success, data } = manifestSchema.safeParse(parsed(text))
  if (!success) return undefined
  if (data.format > format || isNewer(data.signalbox, packageVersion())) {
    throw new CliError(
      'failed',
      `Signalbox ${data.signalbox} wrote this backup, and this is ${packageVersion()}. Install that version or a later one. Nothing was restored.`,
    )
  }
  return data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isNewer(version: string, than: string): boolean {
  const [theirs, ours] = [version, than].map((each) => each.split(/[.+-]/).slice(0, 3).map(Number))
  const different = theirs!.findIndex((number, index) => number !== ours![index])
  return different >= 0 && theirs![different]! > ours![different]!
}
