/** Gemini CLI and opencode without a terminal, over the Agent Client Protocol. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Frame, Thread } from '../../src/api/thread.ts'
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
  - allow: "terminal_*"
`

for (const agent of agents.filter(({ name }) => name === 'gemini' || name === 'opencode')) {
  describeWith(agent, () => {
    const shell = agent.name === 'gemini' ? 'run_shell_command' : 'bash'
    let hub: AgentHub
    let name = ''
    beforeAll(async () => {
      hub = await startAgentHub(agent)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const made = (file: string) => existsSync(join(hub.workspace, file))
    const run = (command: string) => `CALL ${shell} ${JSON.stringify({ command, description: 'Does it' })}`
    const prompt = (text: string, more = {}) => hub.call('prompt_session', { session: name, text, ...more })
    const thread = async () => (await hub.call('read_thread', { session: name })) as unknown as Thread
    const frames = async <Type extends Frame['type']>(type: Type) =>
      (await thread()).events.filter((frame) => frame.type === type) as (Frame & { type: Type })[]
    const approvals = async () =>
      (await hub.call('list_approvals', { status: 'pending' }))['approvals'] as { id: string; tool: string }[]
    async function answerQuestion(decision: 'approve' | 'deny'): Promise<void> {
      await expect.poll(approvals, { timeout: 60_000 }).toHaveLength(1)
      const [{ id, tool }] = (await approvals()) as [{ id: string; tool: string }]
      expect(tool).toBe('own_shell')
      await hub.call('decide_approval', { id, decision })
    }
    /** Gives it a prompt, does the work, and waits until the turn has ended. */
    async function whileTurnRuns(text: string, work: () => Promise<void>): Promise<void> {
      const before = (await frames('complete')).length
      await prompt(text, { wait: false })
      await work()
      await expect.poll(async () => (await frames('complete')).length, { timeout: 60_000 }).toBe(before + 1)
    }
    async function start(more = {}): Promise<void> {
      await hub.call('create_session', {
        name,
        template: agent.name,
        mode: 'structured',
        working_dir: hub.workspace,
        tools: ['read_screen'],
        policy,
        ...more,
      })
    }

    test('answers a prompt, and the thread has what was said', async () => {
      name = `structured${name.length}`
      await start()
      expect(await prompt('THINK let me see\nSAY first this\nFINAL then that')).toMatchObject({ status: 'completed' })
      expect(await frames('prompt')).toMatchObject([{ text: 'THINK let me see\nSAY first this\nFINAL then that' }])
      expect((await frames('thinking')).map(({ text }) => text).join('')).toContain('let me see')
      expect((await frames('token')).map(({ text }) => text).join('')).toContain('first this')
      expect(await frames('complete')).toMatchObject([{ status: 'completed', usage: { output_tokens: 10 } }])
      expect((await hub.session(name)).governed).toMatchObject({ is: 'no', unproven: true })
    })

    test('runs a command that the policy allows', async () => {
      expect(await prompt(`${run('echo 1 > allowed.txt')}\nFINAL ran`)).toMatchObject({ status: 'completed' })
      expect(made('allowed.txt')).toBe(true)
      expect((await frames('tool-result')).at(-1)).toMatchObject({
        name: shell,
        stage: 'success',
        parameters: { command: 'echo 1 > allowed.txt' },
      })
    })

    test('does not run a command that the policy denies', async () => {
      await prompt(`${run('echo 1 > denied.txt')}\nFINAL went on`)
      expect(made('denied.txt')).toBe(false)
      const { errorFull } = (await frames('tool-result')).at(-1)!
      expect(errorFull).toContain('it is on the list')
    })

    test('is asked about even a harmless command', async () => {
      await prompt(`${run('echo denied')}\nFINAL went on`)
      expect((await frames('tool-result')).at(-1)).toMatchObject({ stage: 'error' })
      expect((await hub.session(name)).governed).toEqual({ is: 'yes' })
    })

    test('calls a tool of the hub, and no person is asked about it', async () => {
      expect(await prompt('CALL hub_status {}\nFINAL asked the hub')).toMatchObject({ answer: 'asked the hub' })
      expect((await frames('tool-request')).at(-1)?.name).toMatch(/signalbox_/)
      expect((await hub.session(name)).governed).toEqual({ is: 'yes' })
    })

    test('runs a command after a person has allowed it', async () => {
      await whileTurnRuns(`${run('echo 1 > asked.txt')}\nFINAL ran`, () => answerQuestion('approve'))
      expect(made('asked.txt')).toBe(true)
    })

    test('does not run a command that a person has denied', async () => {
      await whileTurnRuns(`${run('echo 1 > asked2.txt')}\nFINAL went on`, () => answerQuestion('deny'))
      expect(made('asked2.txt')).toBe(false)
    })

    test('asks a person about a command that no rule mentions, but not about reading', async () => {
      const path = agent.name === 'gemini' ? 'read_file {"file_path":"asked.txt"}' : 'read {"filePath":"asked.txt"}'
      expect(await prompt(`CALL ${path}\nFINAL read it`)).toMatchObject({ status: 'completed', answer: 'read it' })
      await whileTurnRuns(`${run('echo 1 > other.txt')}\nFINAL ran`, () => answerQuestion('approve'))
      expect(made('other.txt')).toBe(true)
    })

    test('a turn goes on while the hub is away, and the thread misses nothing', async () => {
      const text = `SLOW 1500\nSAY before\n${run('echo 1 > allowed3.txt')}\nFINAL after`
      await whileTurnRuns(text, () => hub.whileAway(async () => {}))
      const { events } = await thread()
      const turn = events.slice(events.findLastIndex(({ type }) => type === 'prompt'))
      expect(turn.map(({ type }) => type)).toEqual([
        'prompt',
        'token',
        'tool-request',
        'tool-result',
        'token',
        'final',
        'complete',
      ])
      expect(made('allowed3.txt')).toBe(true)
    })

    test('a question survives the hub, and is asked once', async () => {
      await whileTurnRuns(`${run('echo 1 > asked4.txt')}\nFINAL ran`, async () => {
        await expect.poll(approvals, { timeout: 60_000 }).toHaveLength(1)
        await hub.whileAway(async () => {})
        await answerQuestion('approve')
      })
      expect(made('asked4.txt')).toBe(true)
      expect(await approvals()).toEqual([])
    })

    test('is interrupted, and takes the next prompt', async () => {
      await whileTurnRuns('STALL', async () => {
        await expect.poll(() => hub.model.asked.at(-1)?.prompt, { timeout: 60_000 }).toBe('STALL')
        await hub.call('interrupt_session', { session: name })
      })
      expect((await frames('complete')).at(-1)).toMatchObject({ status: 'interrupted' })
      expect(await prompt('FINAL here again')).toMatchObject({ status: 'completed', answer: 'here again' })
    })

    test('continues its conversation in a new session', async () => {
      const before = (await thread()).thread_id
      await hub.call('kill_session', { name })
      await hub.call('resume_session', { name })
      expect(await prompt('FINAL remembered')).toMatchObject({ status: 'completed', answer: 'remembered' })
      const after = await thread()
      expect(after.thread_id).toBe(before)
      expect(after.events.filter((frame) => frame.type === 'final' && frame.text === 'here again')).toHaveLength(1)
    })
  })
}
