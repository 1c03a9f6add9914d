import { expect, test } from 'vitest'
import { toOwnTools } from './own-tool.ts'

const judged = (name: string, input: Record<string, unknown>) =>
  toOwnTools({ name, input, cwd: '/project' }).map(({ tool, arguments: { path, url } }) => [tool, path ?? url])

test.each([
  ['list_directory', { file_path: '/project/src', dir_path: '/secret' }, '/secret'],
  ['read_file', { dir_path: '/project/src', file_path: '/secret/key' }, '/secret/key'],
  ['grep_search', { pattern: 'KEY', dir_path: '/secret' }, '/secret'],
  ['glob', { pattern: '*', dir_path: '../secret' }, '/secret'],
])('%s is judged by the path that it uses, whatever else the model names: %o', (name, input, path) => {
  expect(judged(name, input)).toEqual([['own_read', path]])
})

test('every address in a prompt is judged, as it is fetched', () => {
  expect(judged('web_fetch', { prompt: 'read HTTPS://Evil.example/a and http://b.example' })).toEqual([
    ['own_fetch', 'https://evil.example/a'],
    ['own_fetch', 'http://b.example/'],
  ])
})
