import { spawn } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { folderAt } from '../base/open-inside.ts'
import { writeInside } from './workspace-file.ts'

/** Replaces the folder with a link to the outside and back, as fast as it can, until the test ends. */
async function keepSwapping(folder: string, outside: string): Promise<void> {
  const script = `
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
    const [folder, outside] = process.argv.slice(1)
    for (let n = 0; ; n++) {
      renameSync(folder, folder + '-aside')
      symlinkSync(outside, folder)
      if (n === 0) console.log('swapping')
      unlinkSync(folder)
      renameSync(folder + '-aside', folder)
    }`
  const child = spawn(process.execPath, ['-e', script, folder, outside], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

function prepare() {
  const root = realpathSync(temporaryDirectory())
  const outside = realpathSync(temporaryDirectory())
  mkdirSync(join(root, 'shots'))
  return { root, outside }
}

test('a folder that is replaced with a link during a write never leads outside', async () => {
  const { root, outside } = prepare()
  await keepSwapping(join(root, 'shots'), outside)
  const folder = folderAt(root)
  let [written, refused] = [0, 0]
  while (written < 30 || refused < 30) {
    await writeInside(folder, `shots/${written}.png`, Buffer.from('picture')).then(
      () => written++,
      () => refused++,
    )
    expect(readdirSync(outside)).toEqual([])
  }
})

test('a file with a second hard link is not overwritten', async () => {
  const { root, outside } = prepare()
  writeFileSync(join(outside, 'kept'), 'kept')
  linkSync(join(outside, 'kept'), join(root, 'link.png'))
  await expect(writeInside(folderAt(root), 'link.png', Buffer.from('picture'))).rejects.toThrow(
    /link\.png cannot be written: it has another name elsewhere \(a hard link\)\. Name another file/,
  )
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept')
})

test('nothing is written to a folder that replaced the workspace', async () => {
  const { root, outside } = prepare()
  const folder = folderAt(root)
  renameSync(root, `${root}-aside`)
  onTestFinished(() => rmSync(`${root}-aside`, { recursive: true }))
  symlinkSync(outside, root)
  await expect(writeInside(folder, 'a.png', Buffer.from('picture'))).rejects.toThrow('is outside the workspace')
  rmSync(root)
  renameSync(outside, root)
  await expect(writeInside(folder, 'a.png', Buffer.from('picture'))).rejects.toThrow('another folder has replaced')
  expect(readdirSync(root)).toEqual([])
})
