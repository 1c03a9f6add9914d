/** Where this program lies on disk: a checkout, or the installed package, which have the same shape. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The command that people and services start. */
export const binPath = join(root, 'bin', 'signalbox')

export function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return manifest.version
}
