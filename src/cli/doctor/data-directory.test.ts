import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { checkDataDirectory } from './data-directory.ts'

test('a private and writable directory with a private token file is good', () => {
  expect(check(homeWithToken())).toEqual([
    { is: 'ok', about: 'data directory', says: expect.stringContaining('is private and writable') },
  ])
})

test('one that does not exist yet will be made', () => {
  const home = join(temporaryDirectory(), 'not', 'yet')
  expect(check(home)).toMatchObject([
    { is: 'note', says: `${home} does not exist yet`, advice: '"signalbox up" makes it' },
  ])
})

test('one that others can look into is to be closed', () => {
  const home = homeWithToken()
  chmodSync(home, 0o755)
  expect(check(home)).toMatchObject([
    { is: 'broken', says: `${home} has mode 0755 instead of 0700`, mend: `run "chmod 700 '${home}'"` },
  ])
})

test('a token file that others can read is to be closed', () => {
  const home = homeWithToken()
  chmodSync(join(home, 'token'), 0o644)
  expect(check(home)).toMatchObject([
    { is: 'broken', says: `${home}/token has mode 0644 instead of 0600`, mend: `run "chmod 600 '${home}/token'"` },
  ])
})

test('a missing token file is a note', () => {
  expect(check(temporaryDirectory())).toMatchObject([{ is: 'ok' }, { is: 'note', says: 'there is no token file yet' }])
})

test('a file in its place is to be moved away', () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  expect(check(path)).toMatchObject([
    { is: 'broken', says: `${path} is no directory`, mend: expect.stringContaining('SIGNALBOX_HOME') },
  ])
})

test('one that nothing can be written into is to be given up or opened', () => {
  expect(check(unwritable())).toContainEqual(
    expect.objectContaining({
      is: 'broken',
      says: expect.stringContaining('nothing can be written into'),
      mend: expect.stringContaining('SIGNALBOX_HOME'),
    }),
  )
})

test('one of somebody else is to be handed over', () => {
  const home = ofSomebodyElse()
  expect(check(home)).toContainEqual(
    expect.objectContaining({
      is: 'broken',
      says: expect.stringContaining('belongs to user'),
      mend: expect.stringContaining('chown'),
    }),
  )
})

test('a disk with too little room is to be cleared', () => {
  expect(check(homeWithToken(), Number.MAX_SAFE_INTEGER)).toMatchObject([
    {
      is: 'broken',
      says: expect.stringMatching(/^only \d+ MiB are free/),
      mend: expect.stringContaining('events_max_mb'),
    },
  ])
})

function check(home: string, leastFreeBytes = 1) {
  return checkDataDirectory({ home, leastFreeBytes })
}

function homeWithToken(): string {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'token'), 'sb_human_x\n', { mode: 0o600 })
  return home
}

/** Permissions do not stop root; the kernel's own files do. */
function unwritable(): string {
  if (process.getuid?.() === 0) return '/proc/self'
  const home = temporaryDirectory()
  chmodSync(home, 0o500)
  return home
}

/** Only root can give a directory away; for everybody else the root directory is somebody else's. */
function ofSomebodyElse(): string {
  if (process.getuid?.() !== 0) return '/'
  const home = temporaryDirectory()
  chownSync(home, 65534, 65534)
  return home
}
