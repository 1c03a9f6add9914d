/** `config.yaml`: a flat map of settings, each with the line it stands on, so that an error can point at it. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { HubError, messageOf } from '../base/hub-error.ts'

export interface ConfigFileEntry {
  readonly key: string
  readonly value: unknown
  readonly line: number
}

/** No file is no settings. */
export function readConfigFile(path: string): readonly ConfigFileEntry[] {
  const text = readIfThere(path)
  return text === undefined ? [] : parseConfigFile(text, path)
}

const require = createRequire(import.meta.url)

function parseConfigFile(text: string, path: string): readonly ConfigFileEntry[] {
  // Most have no such file, and every command would wait until this is loaded.
  const { isMap, isNode, isScalar, LineCounter, parseDocument } = require('yaml') as typeof import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [fault] = document.errors
  if (fault) throw new HubError('invalid', `${path}:${lines.linePos(fault.pos[0]).line} is no YAML: ${fault.message}.`)
  if (document.contents === null) return []
  if (!isMap(document.contents)) {
    throw new HubError('invalid', `${path}:1 is no list of settings: write one "key: value" on each line.`)
  }
  return document.contents.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : String(key),
    value: isNode(value) ? value.toJS(document) : value,
    line: isNode(key) && key.range ? lines.linePos(key.range[0]).line : 1,
  }))
}

function readIfThere(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new HubError('invalid', `${path} cannot be read: ${messageOf(error)}. Mend its permissions or remove it.`, {
      cause: error,
    })
  }
}
