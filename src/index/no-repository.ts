/** An empty git directory: git lists the files of any folder if it is told which repository they belong to. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `directory`: of the hub. */
export function noRepositoryIn(directory: string): string {
  const path = join(directory, 'no-repository.git')
  if (existsSync(join(path, 'HEAD'))) return path
  for (const name of ['objects', 'refs']) mkdirSync(join(path, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/none\n')
  return path
}
