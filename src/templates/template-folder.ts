/** The template files of one folder. A file is read again only if it has changed. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemReason } from '../base/system-reason.ts'
import { readTemplateFile, type TemplateFault, type TemplateFileContent } from './template-file.ts'

export interface TemplateFolder {
  readonly path: string
  /** Why the folder cannot be read. Its files are unknown then. */
  readonly fault: string | undefined
  /** By name, as of the last time the folder could be read. */
  readonly files: ReadonlyMap<string, TemplateFile>
  /** Reads the folder again. `read` are new and changed files; `isChanged` also covers deleted ones. */
  refresh(): { readonly isChanged: boolean; readonly read: readonly TemplateFile[] }
  /** Marks a file as broken after it was read; `undefined` if it has changed since. */
  markBroken(file: TemplateFile, fault: TemplateFault): TemplateFile | undefined
}

export interface TemplateFile {
  readonly name: string
  readonly path: string
  /** `undefined` if the file cannot be read. */
  readonly text: string | undefined
  readonly content: TemplateFileContent | { readonly is: 'unreadable'; readonly fault: TemplateFault }
}

/** Large enough for any template, and small enough to read on every change. */
const maxBytes = 1024 * 1024

/** A file may be written twice within one tick of the file system's clock, so the stamp of a newer file is not trusted. */
const settledMs = 100

export function openTemplateFolder(path: string): TemplateFolder {
  const files = new Map<string, TemplateFile>()
  const stamps = new Map<string, string>()
  let fault: string | undefined

  function readAgain(name: string): TemplateFile | undefined {
    const file = join(path, `${name}.json`)
    const known = files.get(name)
    const stamp = stampOf(file)
    if (known && stamp !== undefined && stamps.get(name) === stamp) return undefined
    const fresh = { name, path: file, ...readFile(file, name) }
    // After a failed read, the next one may succeed although the file has not changed.
    if (stamp === undefined || fresh.content.is === 'unreadable') stamps.delete(name)
    else stamps.set(name, stamp)
    if (known && isSame(known, fresh)) return undefined
    files.set(name, fresh)
    return fresh
  }

  return {
    path,
    get fault() {
      return fault
    },
    files,
    refresh() {
      const listed = namesIn(path)
      const isChanged = listed.fault !== fault
      fault = listed.fault
      if (listed.names === undefined) return { isChanged, read: [] }
      const { names } = listed
      const read = names.map(readAgain).filter((file) => file !== undefined)
      const gone = [...files.keys()].filter((name) => !names.includes(name))
      for (const name of gone) {
        files.delete(name)
        stamps.delete(name)
      }
      return { isChanged: isChanged || read.length > 0 || gone.length > 0, read }
    },
    markBroken(file, found) {
      if (files.get(file.name) !== file) return undefined
      const marked: TemplateFile = { ...file, content: { is: 'broken', fault: found } }
      files.set(file.name, marked)
      return marked
    },
  }
}

type Listed =
  | { readonly names: readonly string[]; readonly fault?: undefined }
  | { readonly names?: undefined; readonly fault: string }

/** Skips names that begin with a dot: they belong to editors and to unfinished files. */
function namesIn(path: string): Listed {
  try {
    const files = readdirSync(path).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    return { names: files.map((name) => name.slice(0, -'.json'.length)).sort() }
  } catch (error) {
    return { fault: `The hub cannot read the folder: ${systemReason(error)}.` }
  }
}

/** Compares texts, because the content of a file that was marked broken differs from a new read. */
function isSame(known: TemplateFile, fresh: TemplateFile): boolean {
  if (known.text !== fresh.text) return false
  return known.text !== undefined || reasonOf(known) === reasonOf(fresh)
}

function reasonOf({ content }: TemplateFile): string | undefined {
  return content.is === 'good' ? undefined : content.fault.reason
}

function readFile(path: string, name: string): Pick<TemplateFile, 'text' | 'content'> {
  try {
    // Reading a named pipe would block the hub for ever.
    const stat = statSync(path)
    if (!stat.isFile()) return broken('It is not a regular file.')
    if (stat.size > maxBytes) return broken(`It is larger than ${maxBytes} bytes.`)
    const text = readFileSync(path, 'utf8')
    return { text, content: readTemplateFile(text, name) }
  } catch (error) {
    const fault = { reason: `The hub cannot read it: ${systemReason(error)}.` }
    return { text: undefined, content: { is: 'unreadable', fault } }
  }
}

function broken(reason: string): Pick<TemplateFile, 'text' | 'content'> {
  return { text: undefined, content: { is: 'broken', fault: { reason } } }
}

/** `undefined` if the stamp could not show a later change. */
function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    if (Date.now() - Number(mtimeMs) < settledMs) return undefined
    return [dev, ino, size, mtimeNs, ctimeNs].join(':')
  } catch {
    return undefined
  }
}
