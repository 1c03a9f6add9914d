import { linkSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { templateSchema } from '../api/template.ts'
import { type Folder, folderAt } from '../base/open-inside.ts'
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

function ownerOf(workspacePath: string, workspaceFolder?: Folder) {
  return { name: 'fix', workspacePath, workspaceFolder }
}

test('a file of the workspace is read, and no path, link or second name leads out of it', async () => {
  const { home, workspace, places } = open()
  expect((await readWorkspaceFile(ownerOf(workspace), 'src/a.ts', places)).toString()).toBe('a')
  symlinkSync(join(home, 'token'), join(workspace, 'link'))
  symlinkSync(home, join(workspace, 'folder'))
  linkSync(join(home, 'token'), join(workspace, 'second'))
  writeFileSync(join(workspace, 'large'), Buffer.alloc(mostFileBytes + 1))
  for (const path of ['link', 'folder/token', 'second', 'large', 'src', 'missing', '../../token', '/etc/passwd', '']) {
    await expect(readWorkspaceFile(ownerOf(workspace), path, places), path).rejects.toThrow()
  }
})

test('a workspace that another folder or a link has replaced is not read', async () => {
  const { person, workspace, places } = open()
  const before = folderAt(workspace)
  mkdirSync(join(person, 'private'))
  writeFileSync(join(person, 'private/a'), 'private')
  renameSync(workspace, join(person, 'moved'))
  symlinkSync(join(person, 'private'), workspace)
  await expect(readWorkspaceFile(ownerOf(workspace, before), 'a', places)).rejects.toThrow('no longer exists')
})

test('a workspace above the data directory gives no access to the data directory', async () => {
  const { person, home, places } = open()
  writeFileSync(join(person, 'notes'), 'mine')
  expect((await readWorkspaceFile(ownerOf(person), 'notes', places)).toString()).toBe('mine')
  for (const path of ['.signalbox/token', '.signalbox/workspaces/fix/src/a.ts']) {
    await expect(readWorkspaceFile(ownerOf(person), path, places)).rejects.toThrow('data directory')
  }
  await expect(readWorkspaceFile(ownerOf(home), 'token', places)).rejects.toThrow('data directory')
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
