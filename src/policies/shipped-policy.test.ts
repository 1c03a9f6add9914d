import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { terminalToolNames } from '../api/terminal-tools.ts'
import { compilePolicy, decide, poolPolicies } from '../policy/policy.ts'

const source = readFileSync(new URL('../../policies/hub.yaml', import.meta.url), 'utf8')
const effectOf = async (tool: string) => {
  const pool = poolPolicies([await compilePolicy(source, { scope: 'hub', version: 0 })])
  return decide(pool, [], { tool, arguments: {} }).effect
}

test('the shipped policy lets an agent look, talk and propose, and asks a person about everything else', async () => {
  const allowed = ['resources_read', 'chat_post', 'loop_yield_turn', 'policy_propose', 'sessions_list', 'hub_status']
  for (const tool of [
    ...allowed,
    'sessions_report_activity',
    'sessions_ask',
    'sessions_tests_generate',
    'repositories_ask',
  ]) {
    expect(await effectOf(tool), tool).toBe('allow')
  }
  for (const tool of ['github_get_issue', 'sessions_refactor_apply', 'files_write', 'x'])
    expect(await effectOf(tool)).toBe('ask')
})

test('the shipped policy asks about work for the model, also where all tools of a connector are allowed', async () => {
  const template = await compilePolicy('rules: [{ allow: "github_*" }]', { scope: 'template', version: 0 })
  const pool = poolPolicies([await compilePolicy(source, { scope: 'hub', version: 0 }), template])
  const effect = (tool: string) => decide(pool, [], { tool, arguments: {} }).effect
  expect([effect('github_sampling'), effect('github_get_issue')]).toEqual(['ask', 'allow'])
  // Without a rule for the connector.
  expect([await effectOf('github_elicitation'), await effectOf('github_sampling')]).toEqual(['allow', 'ask'])
})

test('the shipped policy lets an agent read everything in its own terminal, and asks before it writes', async () => {
  const asked = [
    'set_config',
    'toggle_module',
    'set_window_title',
    'send_text',
    'send_keys',
    'save_screenshot',
    'resize',
  ]
  for (const tool of terminalToolNames) {
    expect(await effectOf(`terminal_${tool}`), tool).toBe(asked.includes(tool) ? 'ask' : 'allow')
  }
})
