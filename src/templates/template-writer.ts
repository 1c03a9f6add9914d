/** Writes and removes templates of people, and the files that belong to them. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { sessionNameSchema } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'

/** A larger file would be a data set and not part of a template. */
const maxSourceBytes = 16 * 1024 * 1024

export interface TemplateSource {
  readonly name: string
  readonly bytes: Buffer
  readonly isExecutable: boolean
}

/** Reads all files before anything is written, so that either the whole template is saved or nothing. */
export async function readSources(paths: readonly string[]): Promise<readonly TemplateSource[]> {
  const sources: TemplateSource[] = []
  for (const path of paths) {
    const source = await readSource(path)
    if (sources.some(({ name }) => name === source.name)) {
      throw refused(path, `another file is also named "${source.name}", and both would become one file`)
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
  // A file that is not a template may have any name. With some names this path would be another template's file.
  if (sessionNameSchema.safeParse(name).success) await rm(join(folder, name), { recursive: true, force: true })
}

async function readSource(path: string): Promise<TemplateSource> {
  if (!isAbsolute(path)) throw refused(path, 'give its full path, starting with "/"')
  // Does not follow a link, which may lead anywhere, and does not block on a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    async (error: unknown) => {
      const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
      const target = isLink ? await realpath(path).catch(() => undefined) : undefined
      throw refused(path, target === undefined ? systemReason(error) : `it is a link. Name the file itself: ${target}`)
    },
  )
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw refused(path, 'it is not a regular file. Name the files one by one')
    if (stat.size > maxSourceBytes) throw refused(path, `it is larger than ${maxSourceBytes} bytes`)
    return { name: basename(path), bytes: await file.readFile(), isExecutable: (stat.mode & 0o100) !== 0 }
  } finally {
    await file.close()
  }
}

function refused(path: string, why: string): HubError {
  return new HubError('invalid', `"include_sources": the hub cannot copy ${path}: ${why}.`)
}

/** Replaces the file atomically, even in a power cut. The unfinished file has a name that no template has. */
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
    throw new HubError('unavailable', `The hub cannot write ${join(folder, name)}: ${systemReason(error)}.`, {
      cause: error,
    })
  }
  return join(folder, name)
}
