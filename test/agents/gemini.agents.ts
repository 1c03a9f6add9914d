/** Gemini CLI in its own terminal, under the policy of the hub. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Frame, Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "allowed" } }, required: [command] }
  - deny: own_shell
    when: { properties: { command: { pattern: "denied" } }, required: [command] }
    reason: it is on the list
  - ask: own_shell
    when: { properties: { command: { pattern: "asked" } }, required: [command] }
  - deny: own_read
    when: { properties: { path: { pattern: "secret" } }, required: [path] }
`
const timeout = 60_000

describeWith(
  agents.find(({ name }) => name === 'gemini')!,
  () => {
    let hub: AgentHub
    let name = ''
    beforeAll(async () => {
      hub = await startAgentHub(agents.find((agent) => agent.name === 'gemini')!)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const made = (file: string) => existsSync(join(hub.workspace, file))
    const run = (command: string) => `CALL run_shell_command ${JSON.stringify({ command, description: 'Does it' })}`
    const thread = async () => (await hub.call('read_thread', { session: name })) as unknown as Thread
    const frames = async <Type extends Frame['type']>(type: Type) =>
      (await thread()).events.filter((frame) => frame.type === type) as (Frame & { type: Type })[]
    const approvals = async () =>
      (await hub.call('list_approvals', { status: 'pending' }))['approvals'] as { id: string; tool: string }[]
    const turns = async () => (await frames('complete').catch(() => [])).length
    async function whileTurnRuns(text: string, work: () => Promise<void> = async () => {}): Promise<void> {
      const before = await turns()
      const given = await hub.call('prompt_session', { session: name, text, wait: false })
      expect(given, JSON.stringify(given)).toMatchObject({ status: 'working' })
      await work()
      await expect.poll(turns, { timeout }).toBe(before + 1)
    }
    async function answerQuestion(decision: 'approve' | 'deny'): Promise<void> {
      await expect.poll(approvals, { timeout }).toHaveLength(1)
      const [{ id, tool }] = (await approvals()) as [{ id: string; tool: string }]
      expect(tool).toBe('own_shell')
      await hub.call('decide_approval', { id, decision })
    }

    test('answers a prompt, and the thread has what was said', async () => {
      name = `terminal${name.length}`
      await hub.call('create_session', { name, template: 'gemini', working_dir: hub.workspace, policy })
      await whileTurnRuns('THINK let me see\nSAY first this\nCALL hub_status {}\nFINAL then that')
      const { events } = await thread()
      expect(events.map(({ type }) => type)).toEqual([
        'prompt',
        'thinking',
        'token',
        'tool-request',
        'tool-result',
        'token',
        'final',
        'complete',
      ])
      expect(await frames('tool-request')).toMatchObject([{ name: 'mcp_signalbox_hub_status' }])
      expect(await frames('complete')).toMatchObject([{ status: 'completed', usage: { output_tokens: 20 } }])
      expect((await hub.session(name)).governed).toEqual({ is: 'yes' })
      expect(await approvals()).toEqual([])
    })

    test('runs a command that the policy allows, and no person is asked', async () => {
      await whileTurnRuns(`${run('echo 1 > allowed.txt')}\nFINAL ran allowed`)
      expect(made('allowed.txt')).toBe(true)
      expect((await frames('tool-result')).at(-1)).toMatchObject({ name: 'run_shell_command', stage: 'success' })
    })

    test('does not run a command that the policy denies, and the model reads why', async () => {
      await whileTurnRuns(`${run('echo 1 > denied.txt')}\nFINAL went on denied`)
      expect(made('denied.txt')).toBe(false)
      expect(hub.model.asked.at(-1)?.results.at(-1)).toContain('it is on the list')
    })

    test('does not read a file that the policy denies', async () => {
      await whileTurnRuns('CALL read_file {"file_path":"secret.txt"}\nFINAL went on secret')
      expect(hub.model.asked.at(-1)?.results.at(-1)).toContain('own_read')
    })

    test('runs a harmless command that no rule mentions, and no person is asked', async () => {
      await whileTurnRuns(`${run('echo hello')}\nFINAL said`)
      expect((await frames('tool-result')).at(-1)).toMatchObject({ stage: 'success' })
    })

    test('runs a command that a person allows through the hub', async () => {
      await whileTurnRuns(`${run('echo 1 > asked.txt')}\nFINAL ran asked`, () => answerQuestion('approve'))
      expect(made('asked.txt')).toBe(true)
    })

    test('does not run a command that a person denies through the hub', async () => {
      await whileTurnRuns(`${run('echo 1 > asked2.txt')}\nFINAL went on asked2`, () => answerQuestion('deny'))
      expect(made('asked2.txt')).toBe(false)
      expect((await frames('complete')).at(-1)).toMatchObject({ status: 'interrupted' })
    })

    test('the person can answer in the terminal, and the approval is answered with it', async () => {
      await whileTurnRuns(`${run('echo 1 > other.txt')}\nFINAL ran other`, async () => {
        await expect.poll(approvals, { timeout }).toHaveLength(1)
        await hub.acceptDialog(name)
      })
      expect(made('other.txt')).toBe(true)
      await expect.poll(approvals, { timeout }).toEqual([])
    })

    test('a question survives the hub, and is asked once', async () => {
      await whileTurnRuns(`${run('echo 1 > asked4.txt')}\nFINAL ran asked4`, async () => {
        await expect.poll(approvals, { timeout }).toHaveLength(1)
        await hub.whileAway(async () => {})
        await answerQuestion('approve')
      })
      expect(made('asked4.txt')).toBe(true)
      expect(await approvals()).toEqual([])
    })

    test('a tool does not run while the hub is away', async () => {
      const isRefused = () =>
        hub.model.asked.some(({ prompt, results }) => prompt.includes('allowed5') && results.length === 1)
      await whileTurnRuns(`SLOW 3000\n${run('echo 1 > allowed5.txt')}\nFINAL went on allowed5`, () =>
        hub.whileAway(async () => void (await until(isRefused))),
      )
      expect(made('allowed5.txt')).toBe(false)
    })

    test('continues its conversation in a new session, and its thread', async () => {
      const before = (await thread()).thread_id
      await hub.call('kill_session', { name })
      await hub.call('resume_session', { name })
      await whileTurnRuns('FINAL remembered')
      const after = await thread()
      expect(after.thread_id).toBe(before)
      expect(after.events.filter((frame) => frame.type === 'final' && frame.text === 'then that')).toHaveLength(1)
    })
  },
)
