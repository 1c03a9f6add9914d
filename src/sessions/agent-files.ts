/**
 * Opens files that the program of a session names. A confined program gets nothing from a file that its sandbox does not
 * show: the hub reads only below the places that its sandbox lets it write, as they were when the sandbox was made.
 */
import { constants } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, sep } from 'node:path'
import { z } from 'zod'
import type { WrittenPlace } from '../base/confinement.ts'
import { HubError } from '../base/hub-error.ts'
import { openInside } from '../base/open-inside.ts'

const placesSchema = z.array(
  z.object({
    path: z.string(),
    folder: z.object({ path: z.string(), id: z.string() }),
    hidden: z.array(z.string()),
  }),
)

/** In the folder of the session, which no confined program sees. */
const fileIn = (directory: string) => join(directory, 'written-places.json')

export async function keepWrittenPlaces(directory: string, places: readonly WrittenPlace[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(fileIn(directory), JSON.stringify(places), { mode: 0o600 })
}

/** O_NONBLOCK: a pipe must not make the hub wait. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK

/** Rejects with `ENOENT` if there is no such file yet, and with a `HubError` if the file must not be read. */
export async function openAgentFile(
  path: string,
  { directory, isConfined }: { readonly directory: string; readonly isConfined: boolean },
): Promise<FileHandle> {
  // A link could lead out of a sandbox that the hub did not make.
  if (!isConfined) return open(path, flags | constants.O_NOFOLLOW)
  for (const { path: shown, folder, hidden } of await placesIn(directory)) {
    const inside = relative(shown, path)
    if (!isAbsolute(path) || normalize(path) !== path || inside === '' || inside.split(sep)[0] === '..') continue
    const file = join(folder.path, inside)
    if (hidden.some((each) => file === each || file.startsWith(`${each}${sep}`))) continue
    return openIn(path, () => openInside({ root: folder, path: inside, flags }))
  }
  throw new HubError('forbidden', `${path} is not in a place that the sandbox of the session lets its program write.`)
}

async function openIn(path: string, opening: () => Promise<FileHandle>): Promise<FileHandle> {
  try {
    return await opening()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ELOOP' && code !== 'ENOTDIR' && code !== 'ESTALE') throw error
    throw new HubError('forbidden', `a link or another folder is on the way to ${path}.`, { cause: error })
  }
}

async function placesIn(directory: string): Promise<readonly WrittenPlace[]> {
  try {
    return placesSchema.parse(JSON.parse(await readFile(fileIn(directory), 'utf8')))
  } catch (error) {
    // A session that an earlier release started has no such file.
    throw new HubError('unavailable', 'the hub does not know what the sandbox of the session shows.', { cause: error })
  }
}
