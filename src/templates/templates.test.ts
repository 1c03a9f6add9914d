import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { makePipe } from '../../test/fixtures/make-pipe.ts'
import { openTemplatesHere } from '../../test/fixtures/open-templates.ts'

const patience = { timeout: 10_000, interval: 20 }

test('templates of the person win by name, and the shipped one is back when theirs is gone', async () => {
  const { templates, write } = await openTemplatesHere()
  expect(templates.list().map(({ template }) => template.name)).toEqual(['robot', 'shell'])
  expect(templates.find('shell').source).toBe('shipped')

  const path = write('own', 'shell', { name: 'shell', label: 'Mine' })
  expect(templates.find('shell')).toMatchObject({ source: path, template: { label: 'Mine' } })
  expect(templates.list()).toHaveLength(2)

  rmSync(path)
  expect(templates.find('shell')).toMatchObject({ source: 'shipped' })
})

test('a name that is not there is answered with those that are', async () => {
  const { templates } = await openTemplatesHere()
  expect(() => templates.find('robto')).toThrow(
    'No template named "robto". Did you mean "robot"? There are: robot, shell.',
  )
})

describe('a file that changes', () => {
  test('is told to those who watch, though nobody asks', async () => {
    const { told, write, own } = await openTemplatesHere()
    const path = write('own', 'one', { name: 'one' })
    await vi.waitFor(() => expect(told()).toBeGreaterThan(0), patience)

    const before = told()
    writeFileSync(path, JSON.stringify({ name: 'one', label: 'One' }))
    await vi.waitFor(() => expect(told()).toBeGreaterThan(before), patience)

    const beforeItGoes = told()
    rmSync(join(own, 'one.json'))
    await vi.waitFor(() => expect(told()).toBeGreaterThan(beforeItGoes), patience)
  })

  test('is told also when the folder went away and came back', async () => {
    const { told, own } = await openTemplatesHere()
    rmSync(own, { recursive: true })
    mkdirSync(own)
    writeFileSync(join(own, 'early.json'), '{"name": "early"}')
    await vi.waitFor(() => expect(told()).toBe(1), patience)

    writeFileSync(join(own, 'late.json'), '{"name": "late"}')
    await vi.waitFor(() => expect(told()).toBe(2), patience)
  })

  test('is seen at once by whoever asks, however fast it changes', async () => {
    const { templates, write } = await openTemplatesHere()
    for (let round = 100; round < 200; round++) {
      write('own', 'quick', { name: 'quick', label: `${round}` })
      expect(templates.find('quick').template.label).toBe(`${round}`)
    }
  })

  test('is read anew though size and time are those of before', async () => {
    const { templates, write } = await openTemplatesHere()
    const path = write('own', 'same', { name: 'same', label: 'a' })
    const longAgo = new Date('2020-01-01')
    utimesSync(path, longAgo, longAgo)
    expect(templates.find('same').template.label).toBe('a')
    write('own', 'same', { name: 'same', label: 'b' })
    utimesSync(path, longAgo, longAgo)
    expect(templates.find('same').template.label).toBe('b')
  })

  test('is told once, however often it is asked for afterwards', async () => {
    const { templates, told, write } = await openTemplatesHere()
    write('own', 'one', { name: 'one' })
    write('own', 'two', 'no JSON')
    symlinkSync('/nowhere', write('own', 'three', '').replace('three', 'four'))
    templates.list()
    await vi.waitFor(() => expect(told()).toBe(1), patience)
    for (let round = 0; round < 5; round++) templates.list()
    await new Promise((resolve) => setImmediate(resolve))
    expect(told()).toBe(1)
  })
})

describe('a broken file', () => {
  test('is told with its line and column, harms no other, and is healed by mending it', async () => {
    const { templates, write, log, told } = await openTemplatesHere()
    write('own', 'good', { name: 'good' })
    const path = write('own', 'bad', '{\n  "name": "bad",\n  "command": top\n}')
    expect(templates.broken()).toEqual([
      { path, line: 3, column: 14, reason: 'No JSON: a value was expected, not top.' },
    ])
    expect(templates.list().map(({ template }) => template.name)).toEqual(['good', 'robot', 'shell'])
    expect(() => templates.find('bad')).toThrow(`The template "bad" is broken. ${path}:3: No JSON: a value`)
    expect(log()).toContain('a template is broken')

    await vi.waitFor(() => expect(told()).toBe(1), patience)
    write('own', 'bad', '{"name": "bad", "command": "top"}')
    expect(templates.broken()).toEqual([])
    expect(templates.find('bad').template.command).toBe('top')
    await vi.waitFor(() => expect(told()).toBe(2), patience)
  })

  test.each([
    [{ name: 'bad', extra: 1 }, 3, '"extra": there is no such field; remove it.'],
    [{ name: 'bad', comand: 'top' }, 3, '"comand": there is no such field; did you mean "command"?'],
    [{ name: 'bad', session_type: 'forever' }, 3, 'expected one of "long_running"|"one_off"'],
    [{ name: 'bad', prompt: { ready: 'x', quiet_ms: -1 } }, 5, '"prompt.quiet_ms": Too small'],
    [{ name: 'bad', env: { 'no-name': 'x' } }, 4, 'a variable is letters, digits and underscores'],
    [{ name: 'bad', include_files: ['good.md', '../bad.md'] }, 5, 'a relative path that stays inside its folder'],
    [{ name: 'bad', include_files: [{ source: 'a', target: '/etc/a' }] }, 6, 'a relative path that stays inside'],
    [{ name: 'bad', session_files: [{ path: 'a/../../b', text: '' }] }, 5, 'a relative path that stays inside'],
    [{ name: 'bad', session_files: [{ path: 'a' }] }, 4, 'give it either "json" or "text"'],
    [{ name: 'bad', questions: [{ shows: 'trust', keys: 'Entr' }] }, 6, 'Entr'],
    [{ name: 'other' }, 2, '"name": the file is named "bad.json": give both one name.'],
    [{ command: 'top' }, 1, '"name": Invalid input: expected string'],
    [[], 1, 'expected object'],
  ])('%j is refused at line %i', async (content, line, reason) => {
    const { templates, write } = await openTemplatesHere()
    write('own', 'bad', content)
    const [fault] = templates.broken()
    expect(fault?.reason).toContain(reason)
    expect(fault?.line).toBe(line)
  })

  test('may be one whose pattern no engine takes', async () => {
    const { templates, write, told } = await openTemplatesHere()
    write('own', 'bad', { name: 'bad', prompt: { ready: '(?=ahead)' } })
    templates.list()
    await vi.waitFor(() => expect(templates.broken()).toHaveLength(1), patience)
    expect(templates.broken()[0]).toMatchObject({ line: 4, reason: expect.stringContaining('RE2') })
    expect(() => templates.find('bad')).toThrow('"prompt.ready"')
    // Once for the file and once for its pattern, or for both at once.
    await vi.waitFor(() => expect(told()).toBeGreaterThan(0), patience)
  })

  test('gives way to the shipped one of its name, and says so', async () => {
    const { templates, write } = await openTemplatesHere()
    write('own', 'robot', '{')
    expect(templates.find('robot').source).toBe('shipped')
    expect(templates.broken()[0]?.reason).toContain('The shipped template "robot" is used instead.')
  })

  test('may be a pipe, a folder, a link to nothing or far too long, and holds up nobody', async () => {
    const { templates, own } = await openTemplatesHere()
    makePipe(join(own, 'pipe.json'))
    mkdirSync(join(own, 'folder.json'))
    symlinkSync('/nowhere', join(own, 'link.json'))
    writeFileSync(join(own, 'long.json'), ' '.repeat(2 * 1024 * 1024))
    writeFileSync(join(own, '.#draft.json'), 'of an editor')
    const reasons = templates.broken().map(({ path, reason }) => `${path.slice(own.length + 1)}: ${reason}`)
    expect(reasons).toEqual([
      'folder.json: It is no file.',
      expect.stringContaining('link.json: It cannot be read: ENOENT'),
      'long.json: It is larger than 1048576 bytes.',
      'pipe.json: It is no file.',
    ])
  })
})
