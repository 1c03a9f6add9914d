/** Claude Code without a terminal, under a real hub: prompts, own tools under the policy, a killed hub. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Message, Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const claude = agents.find(({ name }) => name === 'claude')!

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "^echo allowed" } }, required: [command] }
  - deny: own_shell
    when: { properties: { command: { pattern: "forbidden" } }, required: [command] }
    reason: this command is not for agents
  - ask: own_shell
    when: { properties: { command: { pattern: "^echo asked" } }, required: [command] }
    reason: a person looks first
  - abort: own_shell
    when: { properties: { command: { pattern: "^echo aborted" } }, required: [command] }
    reason: it went too far
`

function bash(command: string): string {
  return `CALL Bash ${JSON.stringify({ command, description: 'Does it' })}`
}

describeWith(claude, () => {
  let hub: AgentHub
  beforeAll(async () => {
    hub = await startAgentHub(claude)
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  const start = (name: string) =>
    hub.call('create_session', { name, template: 'claude', mode: 'structured', working_dir: hub.workspace, policy })
  const prompt = (session: string, text: string, more = {}) => hub.call('prompt_session', { session, text, ...more })
  const messages = async (session: string): Promise<readonly Message[]> =>
    ((await hub.call('read_thread', { session })) as unknown as Thread).messages
  const said = async (session: string) =>
    (await messages(session)).map(({ role, content, tool_calls: calls = [] }) =>
      [role, ...content.map(({ text }) => text), ...calls.map(({ name }) => name)].join(' '),
    )
  const approval = (session: string) =>
    until(async () => {
      const { approvals } = await hub.call('list_approvals', { session })
      return (approvals as Approval[]).find(({ status }) => status === 'pending')
    })

  test('answers prompts, and its thread has what the model said, with usage', async () => {
    await start('talker')
    expect(await prompt('talker', 'THINK hm\nSAY first\nFINAL done')).toMatchObject({
      status: 'completed',
      answer: 'done',
      usage: { input_tokens: expect.any(Number), cost_usd: expect.any(Number) },
    })
    expect(await said('talker')).toEqual(['user THINK hm\nSAY first\nFINAL done', 'assistant hm first done'])
    expect(await hub.session('talker')).toMatchObject({ governed: { is: 'yes' }, activity: { is: 'idle' } })
  })
})
