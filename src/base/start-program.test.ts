import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { runProgram } from './start-program.ts'

function programIn(directory: string, says: string): string {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'tool'), `#!/bin/sh\necho ${says} $PATH\n`, { mode: 0o755 })
  return directory
}

const run = (path: readonly string[], cwd: string) =>
  runProgram({ file: 'tool', args: [], cwd, env: { PATH: path.join(delimiter) } }, 'person')

test('programs of the person, and those that they start, are not looked up in directories that a project fills', async () => {
  const project = temporaryDirectory()
  const filled = programIn(join(project, 'node_modules/.bin'), 'project')
  programIn(project, 'here')
  programIn(join(project, 'bin'), 'relative')
  const installed = programIn(join(project, 'installed'), 'person')
  const { stdout } = await run([filled, `${filled}/`, '', '.', 'bin', installed], project)
  expect(stdout).toBe(`person ${installed}\n`)
  for (const path of [[filled], ['.'], ['']]) {
    await expect(run(path, dirname(installed))).rejects.toMatchObject({ code: 'ENOENT' })
  }
})
