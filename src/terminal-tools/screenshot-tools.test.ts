import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

const pngBegin = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

test('a screenshot is a PNG of the size that get_window_info returns', async () => {
  const box = await openToolbox('printf hello; exec cat', { cols: 40, rows: 5 })
  await box.call('wait_for', { for: 'text', value: 'hello' })
  const { type, mimeType, data } = await box.call('screenshot')
  expect([type, mimeType]).toEqual(['image', 'image/png'])
  const png = Buffer.from(data, 'base64')
  expect(png.subarray(0, 8)).toEqual(pngBegin)
  const { width, height } = await box.call('get_window_info')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height])
})

test('a screenshot is saved inside the workspace, under a relative or an absolute path', async () => {
  const box = await openToolbox('exec cat', { cols: 10, rows: 2 })
  const { workspace } = box
  mkdirSync(join(workspace, 'shots'))
  const path = join(workspace, 'shots', 'a.png')
  const saved = await box.call('save_screenshot', { path: 'shots/a.png' })
  expect(saved).toEqual({ success: true, path, bytes: statSync(path).size })
  expect(readFileSync(path).subarray(0, 8)).toEqual(pngBegin)
  writeFileSync(path, 'x'.repeat(100_000))
  expect(await box.call('save_screenshot', { path })).toEqual(saved)
  expect(statSync(path).size).toBe(saved.bytes)
  symlinkSync(join(workspace, 'shots'), join(workspace, 'inner'))
  expect(await box.call('save_screenshot', { path: 'inner/b.png' })).toMatchObject({
    path: join(workspace, 'shots', 'b.png'),
  })
})

test('no path and no symbolic link leads to a write outside the workspace', async () => {
  const box = await openToolbox('exec cat', { cols: 10, rows: 2 })
  const { workspace } = box
  const outside = join(workspace, '..', 'outside')
  mkdirSync(outside)
  mkdirSync(`${workspace}-neighbour`)
  writeFileSync(join(outside, 'kept'), 'kept')
  symlinkSync(outside, join(workspace, 'way-out'))
  symlinkSync(join(outside, 'kept'), join(workspace, 'link.png'))
  symlinkSync(join(outside, 'new.png'), join(workspace, 'dangling.png'))
  for (const path of ['../a.png', '/tmp/a.png', `${workspace}-neighbour/a.png`, 'way-out/a.png', '.', '..']) {
    const sentence = await box.failure('save_screenshot', { path })
    expect(sentence).toBe(
      `"path": ${path} is outside the workspace ${workspace}. Name a file inside it, such as "screen.png".`,
    )
  }
  for (const path of ['link.png', 'dangling.png']) {
    expect(await box.failure('save_screenshot', { path })).toContain('it is a symbolic link. Name another file.')
  }
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept')
  expect(() => statSync(join(outside, 'new.png'))).toThrow('ENOENT')
})

test('a path that is not a file, or whose folder does not exist, is refused with a reason', async () => {
  const box = await openToolbox('exec cat', { cols: 10, rows: 2 })
  mkdirSync(join(box.workspace, 'folder'))
  execFileSync('/usr/bin/mkfifo', [join(box.workspace, 'pipe')])
  expect(await box.failure('save_screenshot', { path: 'folder' })).toMatch(/folder cannot be written: .*EISDIR/)
  expect(await box.failure('save_screenshot', { path: 'pipe' })).toContain('pipe cannot be written')
  expect(await box.failure('save_screenshot', { path: 'nowhere/a.png' })).toBe(
    `"path": there is no folder ${join(box.workspace, 'nowhere')}. Create it first, or name a file in an existing folder.`,
  )
  expect(await box.failure('save_screenshot', { path: 'a\0b' })).toContain('cannot be written')
})
