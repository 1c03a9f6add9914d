import { linkSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { templateSchema } from '../api/template.ts'
import { promptsOf } from './peer-prompts.ts'
import { mostFileBytes, readWorkspaceFile } from './workspace-file.ts'

/** A data directory below the person's home, with one workspace of the hub's own. */
function open() {
  const person = mkdtempSync(join(tmpdir(), 'signalbox-files-'))
  const home = join(person, '.signalbox')
  const workspace = join(home, 'workspaces/fix')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  writeFileSync(join(workspace, 'src/a.ts'), 'a')
  writeFileSync(join(home, 'token'), 'secret')
  return { person, home, workspace, places: { home, workspaces: join(home, 'workspaces') } }
}

test('a file of the workspace is read, and no path, link or second name leads out of it', async () => {
  const { home, workspace, places } = open()
  expect((await readWorkspaceFile(workspace, 'src/a.ts', places)).toString()).toBe('a')
  symlinkSync(join(home, 'token'), join(workspace, 'link'))
  symlinkSync(home, join(workspace, 'folder'))
  linkSync(join(home, 'token'), join(workspace, 'second'))
  writeFileSync(join(workspace, 'large'), Buffer.alloc(mostFileBytes + 1))
  for (const path of ['link', 'folder/token', 'second', 'large', 'src', 'missing', '../../token', '/etc/passwd', '']) {
    await expect(readWorkspaceFile(workspace, path, places), path).rejects.toThrow()
  }
})

test('a workspace above the data directory gives no access to the data directory', async () => {
  const { person, home, places } = open()
  writeFileSync(join(person, 'notes'), 'mine')
  expect((await readWorkspaceFile(person, 'notes', places)).toString()).toBe('mine')
  for (const path of ['.signalbox/token', '.signalbox/workspaces/fix/src/a.ts']) {
    await expect(readWorkspaceFile(person, path, places)).rejects.toThrow('data directory')
  }
  await expect(readWorkspaceFile(home, 'token', places)).rejects.toThrow('data directory')
})

test('the prompts of templates are filled in with their arguments only', async () => {
  const template = templateSchema.parse({
    name: 'my-reviewer',
    prompts: [
      {
        name: 'review',
        description: 'Review',
        arguments: [{ name: 'path', required: true }],
        text: 'Review {path}, {x}.',
      },
    ],
  })
  const [prompt] = promptsOf({ list: () => [{ template }] })
  expect(prompt).toMatchObject({ name: 'sessions_my_reviewer_review', arguments: [{ name: 'path', required: true }] })
  expect(await prompt!.get({ path: '{x} a.ts' }, undefined as never)).toMatchObject({
    messages: [{ content: { text: 'Review {x} a.ts, {x}.' } }],
  })
})
