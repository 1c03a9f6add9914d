import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')

test('docs/cli.md has every command and no other', async () => {
  const told = [...page.matchAll(/^\| `signalbox ([^`]+)`/gm)].map(([, words = '']) => words.replaceAll('\\|', '|'))
  const there = await Promise.all(
    commands.map(async (entry) => [entry.name, (await entry.load()).takes ?? ''].join(' ').trim()),
  )
  expect(told.toSorted()).toEqual([...there, '--version'].toSorted())
})

test('docs/cli.md has every exit code with its meaning', () => {
  const told = [...page.matchAll(/^\| (\d+) +\| (.+?) *\|$/gm)].map(([, code, means]) => ({
    code: Number(code),
    means,
  }))
  expect(told).toEqual(Object.values(exitCodes))
})
