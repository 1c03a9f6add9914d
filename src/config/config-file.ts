/** Reads `config.yaml`: a flat map of settings, each with its line number, so that an error can point at it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { HubError } from '../base/hub-error.ts'
import { systemReason } from '../base/system-reason.ts'

export interface ConfigFileEntry {
  readonly key: string
  readonly value: unknown
  readonly line: number
}

/** A missing file means no settings. */
export function readConfigFile(path: string): readonly ConfigFileEntry[] {
  const text = readIfThere(path)
  return text === undefined ? [] : parseConfigFile(text, path)
}

const require = createRequire(import.meta.url)

function parseConfigFile(text: string, path: string): readonly ConfigFileEntry[] {
  // Loaded lazily: most installations have no such file, and loading it would slow down every command.
  const { isMap, isNode, isScalar, LineCounter, parseDocument } = require('yaml') as typeof import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [fault] = document.errors
  if (fault) throw new HubError('invalid', `${path}:${lines.linePos(fault.pos[0]).line} is not YAML: ${fault.message}.`)
  if (document.contents === null) return []
  if (!isMap(document.contents)) {
    throw new HubError('invalid', `${path}:1 is not a map of settings. Write one "key: value" on each line.`)
  }
  return document.contents.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : String(key),
    value: isNode(value) ? value.toJS(document) : value,
    line: isNode(key) && key.range ? lines.linePos(key.range[0]).line : 1,
  }))
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new HubError(
      'invalid',
      `The hub cannot read ${path}: ${systemReason(error)}. Fix its permissions, or set SIGNALBOX_HOME to another directory.`,
      { cause: error },
    )
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
