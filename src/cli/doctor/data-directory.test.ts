import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { checkDataDirectory } from './data-directory.ts'

test('accepts a private and writable directory with a private token file', () => {
  expect(check(homeWithToken())).toEqual([
    { is: 'ok', about: 'data directory', says: expect.stringContaining('is private and writable') },
  ])
})

test('notes a directory that does not exist yet', () => {
  const home = join(temporaryDirectory(), 'not', 'yet')
  expect(check(home)).toMatchObject([
    { is: 'note', says: `${home} does not exist yet`, advice: '"signalbox up" creates it' },
  ])
})

test('reports a directory that other users can read', () => {
  const home = homeWithToken()
  chmodSync(home, 0o755)
  expect(check(home)).toMatchObject([
    { is: 'broken', says: `${home} has mode 0755 instead of 0700`, mend: `run "chmod 700 '${home}'"` },
  ])
})

test('reports a token file that other users can read', () => {
  const home = homeWithToken()
  chmodSync(join(home, 'token'), 0o644)
  expect(check(home)).toMatchObject([
    { is: 'broken', says: `${home}/token has mode 0644 instead of 0600`, mend: `run "chmod 600 '${home}/token'"` },
  ])
})

test('notes a missing token file', () => {
  expect(check(temporaryDirectory())).toMatchObject([{ is: 'ok' }, { is: 'note', says: 'there is no token file yet' }])
})

test('reports a file in place of the directory', () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  expect(check(path)).toMatchObject([
    { is: 'broken', says: `${path} is not a directory`, mend: expect.stringContaining('SIGNALBOX_HOME') },
  ])
})

test('reports a directory that is not writable', () => {
  expect(check(unwritable())).toContainEqual(
    expect.objectContaining({
      is: 'broken',
      says: expect.stringContaining('is not writable'),
      mend: expect.stringContaining('SIGNALBOX_HOME'),
    }),
  )
})

test('reports a directory of another user', () => {
  const home = ownedByOther()
  expect(check(home)).toContainEqual(
    expect.objectContaining({
      is: 'broken',
      says: expect.stringContaining('belongs to user'),
      mend: expect.stringContaining('chown'),
    }),
  )
})

test('reports a disk with too little free space', () => {
  expect(check(homeWithToken(), Number.MAX_SAFE_INTEGER)).toMatchObject([
    {
      is: 'broken',
      says: expect.stringMatching(/^only \d+ MiB are free/),
      mend: expect.stringContaining('events_max_mb'),
    },
  ])
})

function check(home: string, minFreeBytes = 1) {
  return checkDataDirectory({ home, minFreeBytes })
}

function homeWithToken(): string {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'token'), 'sb_human_x\n', { mode: 0o600 })
  return home
}

/** Permissions do not stop root, but files of the kernel do. */
function unwritable(): string {
  if (process.getuid?.() === 0) return '/proc/self'
  const home = temporaryDirectory()
  chmodSync(home, 0o500)
  return home
}

/** Only root can change the owner of a directory. For other users, `/` belongs to another user. */
function ownedByOther(): string {
  if (process.getuid?.() !== 0) return '/'
  const home = temporaryDirectory()
  chownSync(home, 65534, 65534)
  return home
}
