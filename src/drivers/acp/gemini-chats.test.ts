import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatsOf } from './gemini-chats.ts'

test('the list is empty for a home without chats, and missing if the chats cannot be listed', async () => {
  const HOME = await mkdtemp(join(tmpdir(), 'signalbox-chats-'))
  expect(await chatsOf({ HOME })).toEqual([])
  const project = join(HOME, '.gemini/tmp/project')
  await mkdir(join(project, 'chats'), { recursive: true })
  await writeFile(join(HOME, '.gemini/tmp/a-file'), '')
  await writeFile(join(project, 'chats/session-1.jsonl'), '')
  expect(await chatsOf({ HOME })).toEqual(['session-1.jsonl'])
  await mkdir(join(HOME, '.gemini/tmp/other'))
  await symlink('chats', join(HOME, '.gemini/tmp/other/chats'))
  expect(await chatsOf({ HOME })).toBeUndefined()
})
