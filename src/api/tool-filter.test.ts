import { expect, test } from 'vitest'
import { createToolTest } from './tool-filter.ts'

test.each([
  ['no lists', {}, ['read', 'write'], []],
  ['only the enabled tools', { enabled: ['read'] }, ['read'], ['write', 'READ', 'read2']],
  ['no tool, if none is enabled', { enabled: [] }, [], ['read']],
  ['all but the disabled tools', { disabled: ['delete'] }, ['read'], ['delete']],
  [
    'no tool that is both enabled and disabled',
    { enabled: ['read', 'write'], disabled: ['write'] },
    ['read'],
    ['write'],
  ],
  [
    'a star for any text',
    { disabled: ['delete_*', '*secret*', 'a*b*c'] },
    ['read', 'a_c'],
    ['delete_', 'delete_x', 'my_secrets', 'abc', 'a1b2bc'],
  ],
  ['no tool that a client shows under a disabled name', { disabled: ['repo_delete'] }, ['repo.read'], ['repo.delete']],
  ['only tools whose own name is enabled', { enabled: ['repo_read'] }, ['repo_read'], ['repo.read']],
  ['a star alone for every tool', { enabled: ['*'], disabled: ['x'] }, ['read', ''], ['x']],
])('offers %s', (_, filter, offered, hidden) => {
  const isOffered = createToolTest(filter)
  expect(offered.filter((tool) => !isOffered(tool))).toEqual([])
  expect(hidden.filter(isOffered)).toEqual([])
})
