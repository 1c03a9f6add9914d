/** Writes and removes the templates of people, and the files that these bring along. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { sessionNameSchema } from '../api/session.ts'
import { HubError, messageOf } from '../base/hub-error.ts'

/** More would be a data set, and no part of a template. */
const maxSourceBytes = 16 * 1024 * 1024

export interface TemplateSource {
  readonly name: string
  readonly bytes: Buffer
  readonly isExecutable: boolean
}

/** Reads all of them before anything is written: either the whole template is saved, or nothing. */
export async function readSources(paths: readonly string[]): Promise<readonly TemplateSource[]> {
  const sources: TemplateSource[] = []
  for (const path of paths) {
    const source = await readSource(path)
    if (sources.some(({ name }) => name === source.name)) {
      throw refused(path, `another one is named "${source.name}" too, and both would be one file`)
    }
    sources.push(source)
  }
  return sources
}

export async function writeTemplate(
  folder: string,
  { name, content, sources }: { name: string; content: object; sources: readonly TemplateSource[] },
): Promise<string> {
  const assets = join(folder, name)
  if (sources.length > 0) await mkdir(assets, { recursive: true, mode: 0o700 })
  for (const source of sources) {
    await replaceFile(assets, source.name, source.bytes, source.isExecutable ? 0o700 : 0o600)
  }
  return replaceFile(folder, `${name}.json`, `${JSON.stringify(content, null, 2)}\n`, 0o600)
}

export async function removeTemplate(folder: string, name: string): Promise<void> {
  await rm(join(folder, `${name}.json`), { force: true })
  // A file that is no template may have any name, such as one that makes this the file of another template.
  if (sessionNameSchema.safeParse(name).success) await rm(join(folder, name), { recursive: true, force: true })
}

async function readSource(path: string): Promise<TemplateSource> {
  if (!isAbsolute(path)) throw refused(path, 'write its whole path, from "/" on')
  // Not through a link, which may lead to anything; and a pipe must not hold up the hub.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    async (error: unknown) => {
      const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
      const target = isLink ? await realpath(path).catch(() => undefined) : undefined
      throw refused(path, target === undefined ? messageOf(error) : `it is a link; name the file itself: ${target}`)
    },
  )
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw refused(path, 'it is no file; name the files one by one')
    if (stat.size > maxSourceBytes) throw refused(path, `it is larger than ${maxSourceBytes} bytes`)
    return { name: basename(path), bytes: await file.readFile(), isExecutable: (stat.mode & 0o100) !== 0 }
  } finally {
    await file.close()
  }
}

function refused(path: string, why: string): HubError {
  return new HubError('invalid', `"include_sources": ${path} cannot be taken: ${why}.`)
}

/** Whole or not at all, also in a power cut. The name of the unfinished one is no template's. */
async function replaceFile(folder: string, name: string, content: string | Buffer, mode: number): Promise<string> {
  const unfinished = join(folder, `.${randomUUID()}.new`)
  try {
    const file = await open(unfinished, 'wx', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, join(folder, name))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw new HubError('unavailable', `${join(folder, name)} cannot be written: ${messageOf(error)}.`, { cause: error })
  }
  return join(folder, name)
}
