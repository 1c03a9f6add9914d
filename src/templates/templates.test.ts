import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { makePipe } from '../../test/fixtures/make-pipe.ts'
import { openTemplatesHere } from '../../test/worlds/open-templates.ts'

const patience = { timeout: 60_000, interval: 20 }

test('an own template replaces the shipped one of the same name until it is deleted', async () => {
  const { templates, write } = await openTemplatesHere()
  expect(templates.list().map(({ template }) => template.name)).toEqual(['robot', 'shell'])
  expect(templates.find('shell').source).toBe('shipped')

  const path = write('own', 'shell', { name: 'shell', label: 'Mine' })
  expect(templates.find('shell')).toMatchObject({ source: path, template: { label: 'Mine' } })
  expect(templates.list()).toHaveLength(2)

  rmSync(path)
  expect(templates.find('shell')).toMatchObject({ source: 'shipped' })
})

test('does not fall back to shipped templates while the own folder cannot be read', async () => {
  const { templates, own, write } = await openTemplatesHere()
  write('own', 'mine', { name: 'mine', policy: 'default: deny' })
  expect(templates.policyOf('mine')).toEqual({ is: 'known', origin: 'own', source: 'default: deny' })
  renameSync(own, `${own}.away`)
  symlinkSync(own, own)
  for (const name of ['mine', 'shell']) {
    expect(() => templates.find(name)).toThrow(/cannot look up.*too many symbolic links/)
    expect(templates.policyOf(name)).toMatchObject({ is: 'unknown' })
  }
  await expect(templates.delete('mine')).rejects.toThrow(/cannot look up/)
  expect(templates.broken()).toEqual([
    { path: own, reason: expect.stringContaining('too many symbolic links') as string },
  ])
  rmSync(own)
  renameSync(`${own}.away`, own)
  expect(templates.policyOf('mine')).toMatchObject({ is: 'known' })
  expect(templates.policyOf('shell')).toEqual({ is: 'known', origin: 'shipped', source: undefined })
  expect(templates.policyOf('nobody')).toMatchObject({ is: 'unknown' })
})

test('an unknown name fails with the names of all templates', async () => {
  const { templates } = await openTemplatesHere()
  expect(() => templates.find('robto')).toThrow(
    'No template named "robto". Did you mean "robot"? There are: robot, shell.',
  )
})

describe('a changed file', () => {
  test('notifies subscribers even if no call asks for templates', async () => {
    const { noticeCount, write, own } = await openTemplatesHere()
    const path = write('own', 'one', { name: 'one' })
    await vi.waitFor(() => expect(noticeCount()).toBeGreaterThan(0), patience)

    const before = noticeCount()
    writeFileSync(path, JSON.stringify({ name: 'one', label: 'One' }))
    await vi.waitFor(() => expect(noticeCount()).toBeGreaterThan(before), patience)

    const beforeItGoes = noticeCount()
    rmSync(join(own, 'one.json'))
    await vi.waitFor(() => expect(noticeCount()).toBeGreaterThan(beforeItGoes), patience)
  })

  test('notifies subscribers also after the folder was deleted and created again', async () => {
    const { noticeCount, own } = await openTemplatesHere()
    rmSync(own, { recursive: true })
    mkdirSync(own)
    writeFileSync(join(own, 'early.json'), '{"name": "early"}')
    await vi.waitFor(() => expect(noticeCount()).toBe(1), patience)

    writeFileSync(join(own, 'late.json'), '{"name": "late"}')
    await vi.waitFor(() => expect(noticeCount()).toBe(2), patience)
  })

  test('is seen at once by the next call, however fast it changes', async () => {
    const { templates, write } = await openTemplatesHere()
    for (let round = 100; round < 200; round++) {
      write('own', 'quick', { name: 'quick', label: `${round}` })
      expect(templates.find('quick').template.label).toBe(`${round}`)
    }
  })

  test('is read again even if its size and time are the same', async () => {
    const { templates, write } = await openTemplatesHere()
    const path = write('own', 'same', { name: 'same', label: 'a' })
    const longAgo = new Date('2020-01-01')
    utimesSync(path, longAgo, longAgo)
    expect(templates.find('same').template.label).toBe('a')
    write('own', 'same', { name: 'same', label: 'b' })
    utimesSync(path, longAgo, longAgo)
    expect(templates.find('same').template.label).toBe('b')
  })

  test('notifies subscribers once, however often the templates are listed afterwards', async () => {
    const { templates, noticeCount, write } = await openTemplatesHere()
    write('own', 'one', { name: 'one' })
    write('own', 'two', 'not JSON')
    symlinkSync('/nowhere', write('own', 'three', '').replace('three', 'four'))
    templates.list()
    await vi.waitFor(() => expect(noticeCount()).toBe(1), patience)
    for (let round = 0; round < 5; round++) templates.list()
    await new Promise((resolve) => setImmediate(resolve))
    expect(noticeCount()).toBe(1)
  })
})

describe('a broken file', () => {
  test('is reported with line and column, does not affect others, and works again after a fix', async () => {
    const { templates, write, log, noticeCount } = await openTemplatesHere()
    write('own', 'good', { name: 'good' })
    const path = write('own', 'bad', '{\n  "name": "bad",\n  "command": top\n}')
    expect(templates.broken()).toEqual([
      { path, line: 3, column: 14, reason: 'This is not JSON: a value was expected, not top.' },
    ])
    expect(templates.list().map(({ template }) => template.name)).toEqual(['good', 'robot', 'shell'])
    expect(() => templates.find('bad')).toThrow(`The template "bad" is broken. ${path}:3: This is not JSON: a value`)
    expect(log()).toContain('a template is broken')

    await vi.waitFor(() => expect(noticeCount()).toBe(1), patience)
    write('own', 'bad', '{"name": "bad", "command": "top"}')
    expect(templates.broken()).toEqual([])
    expect(templates.find('bad').template.command).toBe('top')
    await vi.waitFor(() => expect(noticeCount()).toBe(2), patience)
  })

  test.each([
    [{ name: 'bad', extra: 1 }, 3, '"extra": there is no such field; remove it.'],
    [{ name: 'bad', comand: 'top' }, 3, '"comand": there is no such field; did you mean "command"?'],
    [{ name: 'bad', session_type: 'forever' }, 3, 'it must be one of "long_running", "one_off"'],
    [{ name: 'bad', prompt: { ready: 'x', quiet_ms: -1 } }, 5, '"prompt.quiet_ms": it must be at least 0'],
    [{ name: 'bad', env: { 'no-name': 'x' } }, 4, 'a variable name has letters, digits and underscores'],
    [{ name: 'bad', include_files: ['good.md', '../bad.md'] }, 5, 'a relative path that stays inside its folder'],
    [{ name: 'bad', include_files: [{ source: 'a', target: '/etc/a' }] }, 6, 'a relative path that stays inside'],
    [{ name: 'bad', session_files: [{ path: 'a/../../b', text: '' }] }, 5, 'a relative path that stays inside'],
    [{ name: 'bad', session_files: [{ path: 'a' }] }, 4, 'give either "json" or "text"'],
    [{ name: 'bad', questions: [{ shows: 'trust', keys: 'Entr' }] }, 6, 'Entr'],
    [{ name: 'other' }, 2, '"name": the file is named "bad.json". Give both the same name.'],
    [{ command: 'top' }, 1, '"name": it is missing; it must be a string'],
    [[], 1, 'it must be an object'],
  ])('with %j is refused at line %i', async (content, line, reason) => {
    const { templates, write } = await openTemplatesHere()
    write('own', 'bad', content)
    const [fault] = templates.broken()
    expect(fault?.reason).toContain(reason)
    expect(fault?.line).toBe(line)
  })

  test('can be one with an invalid pattern', async () => {
    const { templates, write, noticeCount } = await openTemplatesHere()
    write('own', 'bad', { name: 'bad', prompt: { ready: '(?=ahead)' } })
    templates.list()
    await vi.waitFor(() => expect(templates.broken()).toHaveLength(1), patience)
    expect(templates.broken()[0]).toMatchObject({ line: 4, reason: expect.stringContaining('RE2') })
    expect(() => templates.find('bad')).toThrow('"prompt.ready"')
    // One notice for the file and one for its pattern, or one for both.
    await vi.waitFor(() => expect(noticeCount()).toBeGreaterThan(0), patience)
  })

  test('is not replaced by the shipped one of the same name', async () => {
    const { templates, write } = await openTemplatesHere()
    const path = write('own', 'robot', '{')
    expect(() => templates.find('robot')).toThrow(/is broken.*Fix it, or delete it to use the shipped one\.$/)
    expect(templates.policyOf('robot')).toMatchObject({ is: 'invalid' })
    expect(templates.list().map(({ template }) => template.name)).toEqual(['shell'])
    rmSync(path)
    expect(templates.find('robot').source).toBe('shipped')
  })

  test('can be a pipe, a folder, a dangling link or too long, and does not block the hub', async () => {
    const { templates, own } = await openTemplatesHere()
    makePipe(join(own, 'pipe.json'))
    mkdirSync(join(own, 'folder.json'))
    symlinkSync('/nowhere', join(own, 'link.json'))
    writeFileSync(join(own, 'long.json'), ' '.repeat(2 * 1024 * 1024))
    writeFileSync(join(own, '.#draft.json'), 'of an editor')
    const reasons = templates.broken().map(({ path, reason }) => `${path.slice(own.length + 1)}: ${reason}`)
    expect(reasons).toEqual([
      'folder.json: It is not a regular file.',
      'link.json: The hub cannot read it: no such file or directory.',
      'long.json: It is larger than 1048576 bytes.',
      'pipe.json: It is not a regular file.',
    ])
  })
})

test('a template with an unknown driver is listed as unavailable with the known drivers, and cannot be saved', async () => {
  const { templates, write } = await openTemplatesHere()
  write('own', 'later', { name: 'later', driver: 'codex' })
  const whyNot = 'There is no driver "codex". This hub has: pty.'
  expect(templates.find('later')).toMatchObject({ available: false, whyNot })
  await expect(templates.save({ name: 'later', driver: 'codex' })).rejects.toThrow(`"driver": ${whyNot}`)
})
