import { expect, test } from 'vitest'
import { ownToolName } from './own-tools.ts'

test.each([
  ['Task', 'own_Task'],
  ['mcp__my-server__read', 'own_mcp__my_server__read'],
  ['shell', 'own_other_shell'],
  ['fetch', 'own_other_fetch'],
])('a tool without a common name, %s, is named %s, so that it cannot pass for another', (agentTool, name) => {
  expect(ownToolName(agentTool)).toBe(name)
})
