/** The template files of one folder. They are read again when they have changed, and only then. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/hub-error.ts'
import { readTemplateFile, type TemplateFault, type TemplateFileContent } from './template-file.ts'

export interface TemplateFolder {
  /** By name. */
  readonly files: ReadonlyMap<string, TemplateFile>
  /** Looks at the folder again: which files have come or changed, and whether anything has, or has gone. */
  refresh(): { readonly isChanged: boolean; readonly read: readonly TemplateFile[] }
  /** Found wanting after it was read; `undefined` if it has changed since. */
  condemn(file: TemplateFile, fault: TemplateFault): TemplateFile | undefined
}

export interface TemplateFile {
  readonly name: string
  readonly path: string
  /** `undefined`: it cannot be read. */
  readonly text: string | undefined
  readonly content: TemplateFileContent
}

/** Large enough for any template, and no more than one wants to read on every change. */
const maxBytes = 1024 * 1024

/** A file written so lately may be written again within the same tick of the file system's clock, and look the same. */
const settledMs = 100

export function openTemplateFolder(path: string): TemplateFolder {
  const files = new Map<string, TemplateFile>()
  const stamps = new Map<string, string>()

  function readAgain(name: string): TemplateFile | undefined {
    const file = join(path, `${name}.json`)
    const known = files.get(name)
    const stamp = stampOf(file)
    if (known && stamp !== undefined && stamps.get(name) === stamp) return undefined
    if (stamp === undefined) stamps.delete(name)
    else stamps.set(name, stamp)
    const fresh = { name, path: file, ...readFile(file, name) }
    if (known && isSame(known, fresh)) return undefined
    files.set(name, fresh)
    return fresh
  }

  return {
    files,
    refresh() {
      const names = namesIn(path)
      const read = names.map(readAgain).filter((file) => file !== undefined)
      const gone = [...files.keys()].filter((name) => !names.includes(name))
      for (const name of gone) {
        files.delete(name)
        stamps.delete(name)
      }
      return { isChanged: read.length > 0 || gone.length > 0, read }
    },
    condemn(file, fault) {
      if (files.get(file.name) !== file) return undefined
      const condemned: TemplateFile = { ...file, content: { is: 'broken', fault } }
      files.set(file.name, condemned)
      return condemned
    },
  }
}

/** Names with a dot in front are of editors, and of files that are just being written. No folder, no names. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort()
  } catch {
    return []
  }
}

/** By its text: the content of one that was condemned differs from what is read again. */
function isSame(known: TemplateFile, fresh: TemplateFile): boolean {
  if (known.text !== fresh.text) return false
  return known.text !== undefined || reasonOf(known) === reasonOf(fresh)
}

function reasonOf({ content }: TemplateFile): string | undefined {
  return content.is === 'broken' ? content.fault.reason : undefined
}

function readFile(path: string, name: string): Pick<TemplateFile, 'text' | 'content'> {
  try {
    // A named pipe would hold up the hub for ever.
    const stat = statSync(path)
    if (!stat.isFile()) return broken('It is no file.')
    if (stat.size > maxBytes) return broken(`It is larger than ${maxBytes} bytes.`)
    const text = readFileSync(path, 'utf8')
    return { text, content: readTemplateFile(text, name) }
  } catch (error) {
    return broken(`It cannot be read: ${messageOf(error)}.`)
  }
}

function broken(reason: string): Pick<TemplateFile, 'text' | 'content'> {
  return { text: undefined, content: { is: 'broken', fault: { reason } } }
}

/** `undefined`: it cannot be told whether it will have changed. */
function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    if (Date.now() - Number(mtimeMs) < settledMs) return undefined
    return [dev, ino, size, mtimeNs, ctimeNs].join(':')
  } catch {
    return undefined
  }
}
