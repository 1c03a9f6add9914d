import { expect, test } from 'vitest'
import { sessionNameSchema } from '../../api/session.ts'
import { firstFree } from './choose-name.ts'

test.each([
  ['codex', 'codex-1'],
  ['/usr/bin/Htop', 'htop-1'],
  ['npm test | tail', 'npm-1'],
  ['./run_all.sh', 'run-all-sh-1'],
  ['漢字', 'session-1'],
  ['', 'session-1'],
  ['x'.repeat(60), `${'x'.repeat(30)}-1`],
])('names a session of %j %s', (kind, name) => {
  expect(firstFree(kind, new Set())).toBe(name)
  expect(sessionNameSchema.safeParse(name).success).toBe(true)
})

test('skips numbers that are taken', () => {
  expect(firstFree('codex', new Set(['codex-1', 'codex-3', 'other-2']))).toBe('codex-2')
})
