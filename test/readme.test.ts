/** The README does what it says: its commands run in order, in an empty home, and print what stands below them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNewcomer, root } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { runSteps } from './documents/run-steps.ts'

const patienceMs = 240_000

test('a newcomer who follows the README sees what it says', { timeout: patienceMs }, async () => {
  const steps = readSteps(await readFile(join(root, 'README.md'), 'utf8'))
  const commands = steps.flatMap((step) => ('command' in step ? [step.command.trim()] : []))
  expect(commands.slice(0, 2)).toEqual(['npm start', 'bin/signalbox probe'])
  await using newcomer = await createNewcomer()
  await runSteps(steps, newcomer)
})
