import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { createProjectWatches } from './project-watch.ts'

function watched() {
  const [workspacePath, directory] = [temporaryDirectory(), temporaryDirectory()]
  mkdirSync(join(directory, 'id'))
  let looks = 0
  const templates = {
    async ownFiles() {
      looks++
      return new Map<string, string>()
    },
  }
  const log = createLog({ level: 'error', redactor: createRedactor() })
  const watches = createProjectWatches({ templates, directory, log, onChange() {} })
  const watch = watches.of({ id: 'id', agent: 'claude', template: 'any', workspacePath })
  return { workspacePath, watch, looks: () => looks }
}

test('all who ask while the hub looks share the next look', async () => {
  const { watch, looks } = watched()
  const first = watch.look()
  await Promise.all([first, ...Array.from({ length: 100 }, async () => watch.look())])
  const running = watch.lookOrLog()
  await Promise.resolve()
  await Promise.all([running, ...Array.from({ length: 100 }, () => watch.look())])
  expect(looks()).toBe(3)
})

test('it remembers a thousand files that are gone', async () => {
  const { workspacePath, watch } = watched()
  const commands = join(workspacePath, '.claude/commands')
  for (const round of ['a', 'b']) {
    mkdirSync(commands, { recursive: true })
    for (let n = 0; n < 600; n++) writeFileSync(join(commands, `${round}${n}.md`), '!`x`')
    expect(await watch.look()).toHaveLength(600)
    rmSync(commands, { recursive: true })
  }
  expect(watch.found).toHaveLength(1_000)
})
