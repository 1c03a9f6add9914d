import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { makePipe } from '../../test/fixtures/make-pipe.ts'
import { openTemplatesHere } from '../../test/fixtures/open-templates.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'

describe('saving', () => {
  test('writes what was given, for its owner only, and leaves nothing else behind', async () => {
    const { templates, own, told } = await openTemplatesHere()
    const { path } = await templates.save({ name: 'mine', command: 'top', env: { LEVEL: '1' } })
    expect(path).toBe(join(own, 'mine.json'))
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ name: 'mine', command: 'top', env: { LEVEL: '1' } })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(own)).toEqual(['mine.json'])
    expect(templates.find('mine').source).toBe(path)
    await vi.waitFor(() => expect(told()).toBe(1))
  })

  test('replaces one of the same name, and stands before a shipped one', async () => {
    const { templates } = await openTemplatesHere()
    await templates.save({ name: 'robot', label: 'First' })
    await templates.save({ name: 'robot', label: 'Second' })
    expect(templates.find('robot').template.label).toBe('Second')
  })

  test('takes a template as it was listed, and does not keep what the list added', async () => {
    const { templates } = await openTemplatesHere()
    const listed = { name: 'mine', command: 'top', label: 'Mine', available: false, why_not: 'x', source: 'shipped' }
    const { path } = await templates.save(listed)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ name: 'mine', command: 'top', label: 'Mine' })
  })

  test.each([
    [{ name: '../escape' }, '"name": a name is small letters, digits and dashes'],
    [{ name: 'a/b' }, '"name"'],
    [{ name: '' }, '"name"'],
    [{ name: '.hidden' }, '"name"'],
    [{ name: 'mine', comand: 'top' }, 'did you mean "command"?'],
    [{ name: 'mine', args: 'top' }, '"args": Invalid input: expected array, received string'],
    [{ name: 'mine', prompt: { ready: '(' } }, '"prompt.ready": The pattern is no regular expression'],
    [{ name: 'mine', questions: [{ shows: 'x', keys: 'Nokey' }] }, '"questions.0.keys"'],
    [{ name: 'mine', include_files: ['NOTES.md'] }, 'there is no "NOTES.md"; add its path to "include_sources"'],
    ['a text', 'is no template'],
    [null, 'is no template'],
  ])('refuses %j and writes nothing', async (payload, reason) => {
    const { templates, own } = await openTemplatesHere()
    await expect(templates.save(payload)).rejects.toThrow(reason)
    expect(readdirSync(own)).toEqual([])
  })

  test('that cannot be written leaves the one of before', async () => {
    const { templates, own } = await openTemplatesHere()
    mkdirSync(join(own, 'mine.json'))
    await expect(templates.save({ name: 'mine' })).rejects.toThrow(
      `${join(own, 'mine.json')} cannot be written: EISDIR`,
    )
    expect(readdirSync(own)).toEqual(['mine.json'])
  })
})

describe('the files that a template brings along', () => {
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

  test('are refused where they are none, and then nothing is written', async () => {
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
      [[link], `it is a link; name the file itself: ${file}`],
      [[pipe], 'it is no file'],
      [[place], 'it is no file'],
      [['NOTES.md'], 'write its whole path'],
      [[join(place, 'absent.md')], 'ENOENT'],
      [[file, twin], 'another one is named "NOTES.md" too'],
      [[file, join(place, 'deep/../extra.md')], 'ENOENT'],
    ] as [string[], string][]
    for (const [sources, reason] of refused) await expect(templates.save(payload, sources)).rejects.toThrow(reason)

    await expect(templates.save({ name: 'mine', include_files: ['docs/NOTES.md'] }, [file!])).rejects.toThrow(
      'write {"source": "NOTES.md", "target": "docs/NOTES.md"}',
    )
    await expect(templates.save({ name: 'mine' }, [file!])).rejects.toThrow(
      '"NOTES.md" would never be used; add it to "include_files"',
    )
    expect(readdirSync(own)).toEqual([])
  })

  test('that are gone make the template unavailable, and the place is named', async () => {
    const { templates, write, own } = await openTemplatesHere()
    write('own', 'mine', { name: 'mine', include_files: ['NOTES.md'] })
    expect(templates.find('mine')).toMatchObject({
      available: false,
      whyNot: `Its file "NOTES.md" is missing: put it into ${join(own, 'mine')}.`,
    })
  })
})

describe('deleting', () => {
  test('takes the template and its files, and tells those who watch', async () => {
    const { templates, own, told } = await openTemplatesHere()
    const notes = join(temporaryDirectory(), 'NOTES.md')
    writeFileSync(notes, '')
    await templates.save({ name: 'mine', include_files: ['NOTES.md'] }, [notes])
    await vi.waitFor(() => expect(told()).toBe(1))
    await templates.delete('mine')
    expect(readdirSync(own)).toEqual([])
    expect(() => templates.find('mine')).toThrow('No template named "mine"')
    await vi.waitFor(() => expect(told()).toBe(2))
  })

  test('is refused for shipped ones; of one that replaces it, only that one goes', async () => {
    const { templates, shipped } = await openTemplatesHere()
    await expect(templates.delete('robot')).rejects.toThrow(
      'shipped templates cannot be deleted; save one of the same name to replace it',
    )
    await templates.save({ name: 'robot', label: 'Mine' })
    await templates.delete('robot')
    expect(templates.find('robot').source).toBe('shipped')
    expect(existsSync(join(shipped, 'robot.json'))).toBe(true)
  })

  test.each(['absent', '../shipped/robot', '', '.', 'robot.json'])('of %j finds nothing', async (name) => {
    const { templates } = await openTemplatesHere()
    await expect(templates.delete(name)).rejects.toThrow(`No template named "${name}"`)
  })

  test('of a broken file works, and touches no template whose file has a similar name', async () => {
    const { templates, write } = await openTemplatesHere()
    write('own', 'mine', { name: 'mine' })
    write('own', 'mine.json', 'a copy that somebody made')
    await templates.delete('mine.json')
    expect(templates.find('mine').template.name).toBe('mine')
    expect(templates.broken()).toEqual([])
  })
})
