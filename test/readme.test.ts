/** The commands of the README run in order, in an empty home, and print the output that it shows. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNewcomer, root } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

test('a newcomer who follows the README sees the output that it shows', { timeout: 600_000 }, async () => {
  const steps = readSteps(readPage('README.md'))
  const commands = steps.flatMap((step) => ('command' in step ? [step.command.trim()] : []))
  expect(commands.slice(0, 2)).toEqual(['npm start', 'bin/signalbox probe'])
  await using newcomer = await createNewcomer()
  await runSteps(steps, newcomer)
})

test('every command that proves a claim exists', () => {
  const commands = [...readPage('docs/benchmarks.md').matchAll(/^\| .+ \| `(npm [^`]+)` +\|$/gm)].map(
    ([, command = '']) => command,
  )
  expect(commands.length).toBeGreaterThan(10)
  const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> }
  const isThere = (command: string) => {
    const [, script = '', path] = /^npm (?:run )?(\S+)(?: -- ([^-]\S*))?/.exec(command) ?? []
    return script in scripts && (path === undefined || existsSync(join(root, path)))
  }
  expect(commands.filter((command) => !isThere(command))).toEqual([])
})
