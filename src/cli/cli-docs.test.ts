import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { exitCodes } from './command/exit-codes.ts'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')

test('docs/cli.md has every command and no other', async () => {
  const documented = [...page.matchAll(/^\| `signalbox ([^`]+)`/gm)].map(([, words = '']) =>
    words.replaceAll('\\|', '|'),
  )
  const actual = await Promise.all(
    commands.map(async (entry) => [entry.name, (await entry.load()).takes ?? ''].join(' ').trim()),
  )
  expect(documented.toSorted()).toEqual([...actual, '--version'].toSorted())
})

test('docs/cli.md has every exit code with its meaning', () => {
  const documented = [...page.matchAll(/^\| (\d+) +\| (.+?) *\|$/gm)].map(([, code, means]) => ({
    code: Number(code),
    means,
  }))
  expect(documented).toEqual(Object.values(exitCodes))
})
