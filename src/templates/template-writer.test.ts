import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { makePipe } from '../../test/fixtures/make-pipe.ts'
import { openTemplatesHere } from '../../test/worlds/open-templates.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'

describe('saving a template', () => {
  test('writes the given fields, readable for its owner only, and no other file', async () => {
    const { templates, own, noticeCount } = await openTemplatesHere()
    const { path } = await templates.save({ name: 'mine', command: 'top', env: { LEVEL: '1' } })
    expect(path).toBe(join(own, 'mine.json'))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ name: 'mine', command: 'top', env: { LEVEL: '1' } })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(own)).toEqual(['mine.json'])
    expect(templates.find('mine').source).toBe(path)
    await vi.waitFor(() => expect(noticeCount()).toBe(1), 60_000)
  })

  test('replaces an own template and hides a shipped one of the same name', async () => {
    const { templates } = await openTemplatesHere()
    await templates.save({ name: 'robot', label: 'First' })
    await templates.save({ name: 'robot', label: 'Second' })
    expect(templates.find('robot').template.label).toBe('Second')
  })

  test('accepts a template as it was listed, and drops the fields that the list added', async () => {
    const { templates } = await openTemplatesHere()
    const listed = { name: 'mine', command: 'top', label: 'Mine', available: false, why_not: 'x', source: 'shipped' }
    const { path } = await templates.save(listed)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ name: 'mine', command: 'top', label: 'Mine' })
  })

  test.each([
    [{ name: '../escape' }, '"name": a name has lowercase letters, digits and dashes'],
    [{ name: 'a/b' }, '"name"'],
    [{ name: '' }, '"name"'],
    [{ name: '.hidden' }, '"name"'],
    [{ name: 'mine', comand: 'top' }, 'did you mean "command"?'],
    [{ name: 'mine', args: 'top' }, '"args": it must be a list, not a string'],
    [{ name: 'mine', prompt: { ready: '(' } }, '"prompt.ready": The pattern is not a regular expression'],
    [{ name: 'mine', questions: [{ shows: 'x', keys: 'Nokey' }] }, '"questions.0.keys"'],
    [{ name: 'mine', include_files: ['NOTES.md'] }, 'there is no "NOTES.md"; add its path to "include_sources"'],
    ['a text', 'is not a valid template'],
    [null, 'is not a valid template'],
  ])('refuses %j and writes nothing', async (payload, reason) => {
    const { templates, own } = await openTemplatesHere()
    await expect(templates.save(payload)).rejects.toThrow(reason)
    expect(readdirSync(own)).toEqual([])
  })

  test('keeps the old template if the new one cannot be written', async () => {
    const { templates, own } = await openTemplatesHere()
    mkdirSync(join(own, 'mine.json'))
    await expect(templates.save({ name: 'mine' })).rejects.toThrow(
      `The hub cannot write ${join(own, 'mine.json')}: illegal operation on a directory`,
    )
    expect(readdirSync(own)).toEqual(['mine.json'])
  })
})

describe('the files of a template', () => {
  test('are copied to it, and stay when the template is saved again', async () => {
    const { templates, own } = await openTemplatesHere()
    const place = temporaryDirectory()
    writeFileSync(join(place, 'NOTES.md'), 'first')
    writeFileSync(join(place, 'run.sh'), '#!/bin/sh', { mode: 0o755 })
    const payload = { name: 'mine', include_files: ['NOTES.md', { source: 'run.sh', target: 'bin/run.sh' }] }
    await templates.save(payload, [join(place, 'NOTES.md'), join(place, 'run.sh')])
    expect(readFileSync(join(own, 'mine/NOTES.md'), 'utf8')).toBe('first')
    expect(statSync(join(own, 'mine')).mode & 0o777).toBe(0o700)
    expect(statSync(join(own, 'mine/NOTES.md')).mode & 0o777).toBe(0o600)
    expect(statSync(join(own, 'mine/run.sh')).mode & 0o777).toBe(0o700)

    await templates.save({ ...payload, label: 'Again' })
    expect(templates.find('mine')).toMatchObject({ available: true, template: { label: 'Again' } })
  })

  test('are refused if one is not a regular file, and then nothing is written', async () => {
    const { templates, own } = await openTemplatesHere()
    const place = temporaryDirectory()
    const [file, link, pipe, twin] = ['NOTES.md', 'link.md', 'pipe.md', 'deep/NOTES.md'].map((name) =>
      join(place, name),
    )
    mkdirSync(join(place, 'deep'))
    writeFileSync(file!, '')
    writeFileSync(twin!, '')
    symlinkSync(file!, link!)
    makePipe(pipe!)
    const payload = { name: 'mine', include_files: ['NOTES.md'] }

    const refused = [
      [[link], `it is a link. Name the file itself: ${file}`],
      [[pipe], 'it is not a regular file'],
      [[place], 'it is not a regular file'],
      [['NOTES.md'], 'give its full path'],
      [[join(place, 'absent.md')], 'no such file or directory'],
      [[file, twin], 'another file is also named "NOTES.md"'],
      [[file, join(place, 'deep/../extra.md')], 'no such file or directory'],
    ] as [string[], string][]
    for (const [sources, reason] of refused) await expect(templates.save(payload, sources)).rejects.toThrow(reason)

    await expect(templates.save({ name: 'mine', include_files: ['docs/NOTES.md'] }, [file!])).rejects.toThrow(
      'write {"source": "NOTES.md", "target": "docs/NOTES.md"}',
    )
    await expect(templates.save({ name: 'mine' }, [file!])).rejects.toThrow(
      'the template does not use "NOTES.md". Add it to "include_files"',
    )
    expect(readdirSync(own)).toEqual([])
  })

  test('make the template unavailable if one is missing, and the message names the folder', async () => {
    const { templates, write, own } = await openTemplatesHere()
    write('own', 'mine', { name: 'mine', include_files: ['NOTES.md'] })
    expect(templates.find('mine')).toMatchObject({
      available: false,
      whyNot: `Its file "NOTES.md" is missing. Put it into ${join(own, 'mine')}.`,
    })
  })
})

describe('deleting a template', () => {
  test('removes the template and its files, and notifies subscribers', async () => {
    const { templates, own, noticeCount } = await openTemplatesHere()
    const notes = join(temporaryDirectory(), 'NOTES.md')
    writeFileSync(notes, '')
    await templates.save({ name: 'mine', include_files: ['NOTES.md'] }, [notes])
    await vi.waitFor(() => expect(noticeCount()).toBe(1), 60_000)
    await templates.delete('mine')
    expect(readdirSync(own)).toEqual([])
    expect(() => templates.find('mine')).toThrow('No template named "mine"')
    await vi.waitFor(() => expect(noticeCount()).toBe(2), 60_000)
  })

  test('is refused for a shipped one, and removes only the own one that replaces it', async () => {
    const { templates, shipped } = await openTemplatesHere()
    await expect(templates.delete('robot')).rejects.toThrow(
      '"robot" is a shipped template and cannot be deleted. Save a template of the same name to replace it',
    )
    await templates.save({ name: 'robot', label: 'Mine' })
    await templates.delete('robot')
    expect(templates.find('robot').source).toBe('shipped')
    expect(existsSync(join(shipped, 'robot.json'))).toBe(true)
  })

  test.each(['absent', '../shipped/robot', '', '.', 'robot.json'])(
    'fails for %j, which is not a template',
    async (name) => {
      const { templates } = await openTemplatesHere()
      await expect(templates.delete(name)).rejects.toThrow(`No template named "${name}"`)
    },
  )

  test('works for a broken file, and keeps a template whose file has a similar name', async () => {
    const { templates, write } = await openTemplatesHere()
    write('own', 'mine', { name: 'mine' })
    write('own', 'mine.json', 'a copy that a person made')
    await templates.delete('mine.json')
    expect(templates.find('mine').template.name).toBe('mine')
    expect(templates.broken()).toEqual([])
  })
})
