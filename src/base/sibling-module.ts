import { extname } from 'node:path'

/** The URL of a module beside the caller, to start it in a thread or process. It is a source file or part of a bundle. */
export function siblingModule(name: string, importMetaUrl: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl)
}
