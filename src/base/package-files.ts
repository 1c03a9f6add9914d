/**
 * Finds the files of this package that are read at run time: its manifest, templates, policies, the page. The code may
 * run from `src`, from a bundle or from `dist`, so the package is found by its manifest.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = rootAbove(import.meta.dirname)

export function packageFile(path: string): string {
  return join(root, path)
}

/** The command that people and services start. */
export const signalboxProgram = packageFile('bin/signalbox')

export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }
  return manifest.version
}

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : rootAbove(dirname(directory))
}
