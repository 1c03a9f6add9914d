import { expect, test } from 'vitest'
import { callsOfGrant } from './own-tool-calls.ts'

test('a folder to which Codex wants to write from now on is judged by itself, and a person is asked', () => {
  expect(callsOfGrant('../other', '/project')).toEqual([
    { tool: 'own_grant_root', arguments: { path: '/other', agent_tool: 'grant_root' }, agentAsks: true },
  ])
  expect(callsOfGrant(null, '/project')).toEqual([])
})
