import { extname } from 'node:path'

/** The URL of a module beside the caller, to load it or start it by file name. It is a source file or part of a bundle. */
export function siblingModule(name: string, importMetaUrl: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl)
}
