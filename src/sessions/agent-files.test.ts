import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { folderAt } from '../base/open-inside.ts'
import { readLines } from '../drivers/port/read-lines.ts'
import { keepWrittenPlaces, openAgentFile } from './agent-files.ts'

/** A home with a folder of the agent, which the sandbox shows under two names, and a private file. */
async function start({ isKnown = true } = {}) {
  const home = temporaryDirectory()
  const at = (path: string) => join(home, path)
  for (const folder of ['agent/hub', 'private', 'session']) mkdirSync(at(folder), { recursive: true })
  for (const file of ['agent/a.jsonl', 'agent/hub/a.jsonl', 'private/a.jsonl', 'session/a.jsonl']) {
    writeFileSync(at(file), `${file}\n`)
  }
  const folder = folderAt(at('agent'))
  const hidden = [at('agent/hub')]
  const places = [at('alias'), at('agent')].map((path) => ({ path, folder, hidden }))
  if (isKnown) await keepWrittenPlaces(at('session'), places)
  const read = async (path: string, isConfined = true) =>
    (await readLines(() => openAgentFile(path, { directory: at('session'), isConfined }), 0))?.lines
  return { at, read }
}

test('a confined program names files below the folders that it writes, by each of their names', async () => {
  const { at, read } = await start()
  expect(await read(at('agent/a.jsonl'))).toEqual(['agent/a.jsonl'])
  expect(await read(at('alias/a.jsonl'))).toEqual(['agent/a.jsonl'])
  expect(await read(at('agent/not-yet.jsonl'))).toBeUndefined()
})

test('it names no other file, whatever it has put into its folders', async () => {
  const { at, read } = await start()
  symlinkSync(at('private'), at('agent/link'))
  symlinkSync(at('private/a.jsonl'), at('agent/linked.jsonl'))
  execFileSync('mkfifo', [at('agent/pipe')])
  const others = ['private/a.jsonl', 'session/a.jsonl', 'agent/hub/a.jsonl', 'agent', 'agent/link/a.jsonl']
  for (const path of [...others.map(at), at('agent/linked.jsonl'), `${at('agent')}/../private/a.jsonl`, 'a.jsonl']) {
    await expect(read(path), path).rejects.toThrow(/not in a place|a link or another folder/)
  }
  expect(await read(at('agent/pipe'))).toBeUndefined()
  renameSync(at('agent'), at('moved'))
  renameSync(at('private'), at('agent'))
  await expect(read(at('agent/a.jsonl'))).rejects.toThrow('a link or another folder')
})

test('without a record of what the sandbox shows, no file is read', async () => {
  const { at, read } = await start({ isKnown: false })
  await expect(read(at('agent/a.jsonl'))).rejects.toThrow('does not know what the sandbox')
})

test('for a program that is not confined, neither a link is followed nor a pipe waited for', async () => {
  const { at, read } = await start()
  symlinkSync(at('private/a.jsonl'), at('agent/linked.jsonl'))
  execFileSync('mkfifo', [at('agent/pipe')])
  expect(await read(at('private/a.jsonl'), false)).toEqual(['private/a.jsonl'])
  expect(await read(at('agent/pipe'), false)).toBeUndefined()
  await expect(read(at('agent/linked.jsonl'), false)).rejects.toThrow('ELOOP')
})
