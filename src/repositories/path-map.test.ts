import { expect, test } from 'vitest'
import { createPathMap } from './path-map.ts'

const map = createPathMap([
  { host: '/home/me/src', container: '/repositories' },
  { host: '/home/me/src/api', container: '/api' },
  { host: '/data', container: '/' },
])

test.each([
  ['/repositories/demo', '/home/me/src/demo'],
  ['/repositories', '/home/me/src'],
  ['/api/x', '/home/me/src/api/x'],
  ['/apis/x', '/data/apis/x'],
  ['/', '/data'],
])('%s in the container is %s on the host', (container, host) => {
  expect(map.toHost(container)).toBe(host)
  expect(map.fromHost(host)).toBe(container)
})

test('a folder that is not mapped has one path', () => {
  expect(map.fromHost('/home/you/src')).toBeUndefined()
  expect(createPathMap([]).toHost('/home/you/src')).toBe('/home/you/src')
})
