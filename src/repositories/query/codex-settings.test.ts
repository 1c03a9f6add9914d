import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadConfig } from '../../config/config.ts'
import { compilePolicy, decide, poolPolicies } from '../../policy/policy.ts'
import { packageFile } from '../../base/package-files.ts'
import type { Asker } from './codex-settings.ts'
import { answeringPolicy, codexFlags, modelIn } from './codex-settings.ts'

type Variables = Readonly<Record<string, string>>

const root = '/repositories/a.b'
const settings = (env: Variables = {}) => loadConfig({ env: { HOME: '/nobody', ...env } }).config

/** The rules of the hub, the template and the session, as they apply together. */
async function effects(env: Variables, asker: Asker = 'person') {
  const { policy: ofTemplate } = JSON.parse(readFileSync(packageFile('templates/repository-answer.json'), 'utf8')) as {
    policy: string
  }
  const pool = poolPolicies([
    await compilePolicy(readFileSync(packageFile('policies/hub.yaml'), 'utf8'), { scope: 'hub', version: 1 }),
    await compilePolicy(ofTemplate, { scope: 'template', target: 'repository-answer', version: 1 }),
    await compilePolicy(answeringPolicy(settings(env), asker, root), { scope: 'session', target: 's', version: 1 }),
  ])
  return (tool: string, args: Readonly<Record<string, unknown>> = {}, agentAsks = false) =>
    decide(pool, [], { tool, arguments: args, agentAsks }).effect
}

const escalated = { command: 'id', agent_arguments: { sandbox_permissions: 'require_escalated' } }

test('the settings become flags of the server, and the model is found in them again', () => {
  const flags = codexFlags(
    settings({
      SIGNALBOX_REPOSITORY_MODEL: 'a "model"',
      SIGNALBOX_REPOSITORY_EFFORT: 'xhigh',
      SIGNALBOX_REPOSITORY_SANDBOX: 'workspace-write',
      SIGNALBOX_REPOSITORY_NETWORK: 'on',
      SIGNALBOX_REPOSITORY_WEB_SEARCH: 'on',
    }),
    'person',
  )
  expect(flags.filter((flag) => flag !== '-c')).toEqual([
    'model="a \\"model\\""',
    'model_reasoning_effort="xhigh"',
    'sandbox_mode="workspace-write"',
    'sandbox_workspace_write.network_access=true',
    'web_search="live"',
  ])
  expect(modelIn(flags)).toBe('a "model"')
})

test('by default Codex reads with the tools for repositories, runs no commands, and asks nobody', async () => {
  const effectOf = await effects({})
  expect(effectOf('repositories_search')).toBe('allow')
  expect(effectOf('own_shell', { command: 'ls' })).toBe('deny')
  expect(effectOf('own_shell', { command: 'ls', agent_tool: 'write_stdin' }, true)).toBe('deny')
  expect(effectOf('own_shell', escalated, true)).toBe('deny')
  expect(effectOf('own_write', { path: `${root}/a` })).toBe('deny')
  expect(effectOf('own_network', { host: 'example.org' }, true)).toBe('deny')
  expect(effectOf('own_mcp__github__merge', {}, true)).toBe('deny')
})

test('it neither asks other agents nor itself, nor changes the policy', async () => {
  const effectOf = await effects({})
  for (const tool of ['repositories_ask', 'sessions_ask', 'chat_post', 'policy_propose', 'resources_read', 'github_x'])
    expect(effectOf(tool), tool).toBe('deny')
})

test('with a writable workspace it writes there and nowhere else', async () => {
  const effectOf = await effects({ SIGNALBOX_REPOSITORY_SANDBOX: 'workspace-write' })
  expect(effectOf('own_write', { path: `${root}/src/a` })).toBe('allow')
  expect(effectOf('own_shell', { command: 'ls' })).toBe('allow')
  expect(effectOf('own_shell', { command: 'ls', agent_tool: 'write_stdin' }, true)).toBe('allow')
  expect(effectOf('own_shell', escalated, true)).toBe('deny')
  for (const path of ['/repositories/axb/a', `/etc${root}/a`, '/repositories/a.bc'])
    expect(effectOf('own_edit', { path }), path).toBe('deny')
})

test('a person is asked before each command, or before one that leaves the sandbox', async () => {
  const untrusted = await effects({ SIGNALBOX_REPOSITORY_APPROVAL: 'untrusted' })
  expect(untrusted('own_shell', { command: 'ls' })).toBe('ask')
  const onRequest = await effects({ SIGNALBOX_REPOSITORY_APPROVAL: 'on-request' })
  expect(onRequest('own_shell', { command: 'ls' })).toBe('allow')
  expect(onRequest('own_shell', escalated, true)).toBe('ask')
})

test('for another agent it has no tools of its own, whatever the settings are', async () => {
  const env = { SIGNALBOX_REPOSITORY_SANDBOX: 'danger-full-access', SIGNALBOX_REPOSITORY_WEB_SEARCH: 'on' }
  const effectOf = await effects(env, 'agent')
  for (const tool of ['own_shell', 'own_read', 'own_write', 'own_anything']) expect(effectOf(tool)).toBe('deny')
  const flags = codexFlags(settings(env), 'agent')
  expect(flags).toContain('web_search="disabled"')
  expect(flags).toContain('features.shell_tool=false')
})
