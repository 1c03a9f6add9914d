import { expect, test } from 'vitest'
import { arrange, hide, type Mount } from './mounts.ts'

const read = (path: string): Mount => ({ is: 'read', path, source: path })
const write = (path: string): Mount => ({ is: 'write', path, source: path })
const empty = (path: string): Mount => ({ is: 'empty', path })
const hidden = (path: string): Mount => ({ is: 'empty', path, isHidden: true })

test('mounts a directory before everything inside it, with any characters in the names', () => {
  const paths = arrange([write('/home/me/work'), read('/home/me-too'), empty('/home/me'), read('/home/me/.gitconfig')])
  expect(paths.map(({ path }) => path)).toEqual(['/home/me', '/home/me/.gitconfig', '/home/me/work', '/home/me-too'])
})

test('mounts a path once, for writing if anything asks for that', () => {
  expect(arrange([empty('/work'), read('/work'), write('/work')])).toEqual([write('/work')])
})

test('makes no link inside a directory that is mounted', () => {
  const link: Mount = { is: 'link', path: '/opt/bin/agent', target: '/opt/agent' }
  expect(arrange([link, read('/opt')])).toEqual([read('/opt')])
  expect(arrange([link, empty('/opt')])).toEqual([empty('/opt'), link])
})

test('hides a directory that a mount would show, and nothing else', () => {
  const secret = '/home/me/.signalbox'
  expect(hide([secret], [write('/home/me')])).toEqual([hidden(secret)])
  expect(
    hide([secret], [empty('/home/me'), write('/home/me/.signalbox/workspaces/a'), read('/home/me/.signal')]),
  ).toEqual([])
})

test('hides a directory also where a mount shows it under another name', () => {
  const secret = '/home/me/.signalbox'
  expect(hide([secret], [{ is: 'read', path: '/home/me/link', source: '/home/me' }])).toEqual([
    hidden('/home/me/link/.signalbox'),
  ])
})
