import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { namedMounts, writablePaths } from './named-paths.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'named-')))
afterAll(() => rmSync(home, { recursive: true }))
const places = { home, env: { AGENT_HOME: join(home, 'agent') }, writable: [join(home, 'work')] }
const mountsOf = (sandbox: { write: string[]; read: string[] }) =>
  namedMounts(sandbox, { ...places, writable: [...places.writable, ...writablePaths(sandbox.write, places)] })
mkdirSync(join(home, 'work'))
mkdirSync(join(home, '.ssh'))
writeFileSync(join(home, '.ssh/key'), 'secret')

test('fills in the home and variables, makes directories to write, and leaves out missing paths', () => {
  const found = mountsOf({
    write: ['~/made/', '~/missing', '$AGENT_HOME/', '$UNSET/x'],
    read: ['~/.ssh/key', '~/nothing'],
  })
  expect(found.map(({ is, path }) => `${is} ${path}`)).toEqual([
    `write ${home}/made`,
    `write ${home}/agent`,
    `read ${home}/.ssh/key`,
  ])
})

test('follows a link that the person made, but none that an agent may have left in a writable directory', () => {
  symlinkSync(join(home, '.ssh'), join(home, 'keys'))
  mkdirSync(join(home, 'config'))
  symlinkSync(join(home, '.ssh/key'), join(home, 'config/settings.json'))
  expect(mountsOf({ write: [], read: ['~/keys'] })).toContainEqual({
    is: 'read',
    path: join(home, 'keys'),
    source: join(home, '.ssh'),
  })
  symlinkSync('config/settings.json', join(home, 'settings.json'))
  const planted = mountsOf({ write: ['~/config/'], read: ['~/config/settings.json', '~/settings.json'] })
  expect(planted.map(({ path }) => path)).toEqual([join(home, 'config')])
})

test('makes no directory behind a link that an agent may have left', () => {
  mkdirSync(join(home, 'behind'))
  symlinkSync(join(home, 'behind'), join(home, 'work/link'))
  expect(mountsOf({ write: ['~/work/link/made/', '~/work/link/'], read: [] })).toEqual([])
  expect(readdirSync(join(home, 'behind'))).toEqual([])
  expect(mountsOf({ write: ['~/work/deep/made/'], read: [] }).map(({ path }) => path)).toEqual([
    join(home, 'work/deep/made'),
  ])
})
