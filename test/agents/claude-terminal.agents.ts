/** Claude Code in its own terminal, under a real hub: its hooks ask the gate, and its transcript is the thread. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Message, Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { startImpostor } from './impostor.ts'
import { describeWith } from './requires-agent.ts'

const claude = agents.find(({ name }) => name === 'claude')!

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "^touch allowed" } }, required: [command] }
  - deny: own_shell
    when: { properties: { command: { pattern: "forbidden" } }, required: [command] }
    reason: this command is not for agents
  - ask: own_shell
    when: { properties: { command: { pattern: "^echo asked" } }, required: [command] }
    reason: a person looks first
`

function bash(command: string): string {
  return `CALL Bash ${JSON.stringify({ command, description: 'Does it' })}`
}

describeWith(claude, () => {
  describe.each([
    ['the port of the hub', 'no'],
    ['its socket, where other people use the machine', 'yes'],
  ])('with hooks over %s', (_way, shared) => {
    const name = 'agent'
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub(claude, { SIGNALBOX_SHARED_MACHINE: shared })
      await hub.call('create_session', { name, template: 'claude', working_dir: hub.workspace, policy })
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const prompt = (text: string, more = {}) => hub.call('prompt_session', { session: name, text, ...more })
    const made = (file: string) => existsSync(join(hub.workspace, file))
    const messages = async (): Promise<readonly Message[]> =>
      ((await hub.call('read_thread', { session: name })) as unknown as Thread).messages
    const lastSaid = async () => (await messages()).at(-1)?.content.at(-1)?.text
    const approvals = async (status: string) =>
      (await hub.call('list_approvals', { session: name, status }))['approvals'] as Approval[]
    const approval = () => until(async () => (await approvals('pending'))[0])

    test('shows that its gate is in place before its first prompt', async () => {
      await until(async () => (await hub.session(name)).governed?.is === 'yes')
    })

    test('answers a prompt, and its thread has what the model said', async () => {
      expect(await prompt('THINK hm\nFINAL done')).toMatchObject({ status: 'completed', answer: 'done' })
      const said = (await messages()).map(({ role, content }) => [role, ...content.map(({ text }) => text)])
      expect(said).toEqual([
        ['user', 'THINK hm\nFINAL done'],
        ['assistant', 'hm', 'done'],
      ])
    })

    test('runs what a rule allows without a dialog, and tells the model why a rule denies', async () => {
      const { status, answer } = await prompt(`${bash('touch allowed.txt')}\n${bash('touch forbidden.txt')}`)
      expect({ status, answer }).toMatchObject({
        status: 'completed',
        answer: expect.stringContaining('this command is not for agents'),
      })
      expect(made('allowed.txt')).toBe(true)
      expect(made('forbidden.txt')).toBe(false)
      expect(await approvals('pending')).toEqual([])
      const used = (await messages()).flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.arguments))
      expect(used).toEqual([
        { command: 'touch allowed.txt', description: 'Does it' },
        { command: 'touch forbidden.txt', description: 'Does it' },
      ])
    })

    test.each([
      ['a rule asks', 'echo asked > two.txt', 'two.txt'],
      ['its own settings ask', 'touch three.txt', 'three.txt'],
    ])('if %s, a person can answer through the hub', async (_who, command, file) => {
      expect(await prompt(`${bash(command)}\nFINAL made ${file}`)).toMatchObject({ status: 'waiting' })
      const { id, tool, arguments: args } = await approval()
      expect({ tool, args }).toMatchObject({ tool: 'own_shell', args: { command, cwd: hub.workspace } })
      await until(async () => claude.asks.test(await hub.screen(name)))
      expect(made(file)).toBe(false)
      await hub.call('decide_approval', { id, decision: 'approve' })
      await until(async () => (await lastSaid()) === `made ${file}`)
      expect(made(file)).toBe(true)
      await until(async () => (await hub.session(name)).activity.is === 'idle')
    })

    test.each([
      ['that ends at once', 'echo asked > four.txt', 'four.txt'],
      ['that runs for long', 'echo asked > six.txt; sleep 1000', 'six.txt'],
    ])(
      'a person can answer in its dialog for a command %s, and the approval says so',
      async (_which, command, file) => {
        await prompt(bash(command))
        const { id } = await approval()
        await hub.acceptDialog(name)
        const answered = await until(async () => (await approvals('consumed')).find((each) => each.id === id))
        expect(answered.decided_by).toContain('terminal')
        expect(made(file)).toBe(true)
        if (command.includes('sleep')) {
          await until(async () => (await hub.session(name)).activity.is === 'working')
          await hub.call('interrupt_session', { session: name })
        }
        await until(async () => (await hub.session(name)).activity.is === 'idle')
      },
    )

    test('a refusal in its dialog ends the question', async () => {
      await prompt(bash('echo asked > five.txt'))
      const { id } = await approval()
      const asks = async () => claude.asks.test(await hub.screen(name))
      await until(asks)
      // It may ignore keys for a moment after its dialog appears. Without the dialog, two Escapes mean something else.
      while (await asks()) {
        await hub.call('send_keys', { session: name, keys: 'Escape' })
        await setTimeout(1_000)
      }
      await until(async () => (await approvals('abandoned')).some((each) => each.id === id))
      expect(made('five.txt')).toBe(false)
      await until(async () => (await hub.session(name)).activity.is === 'idle')
    })

    test('is interrupted in mid-turn', async () => {
      await prompt(bash('touch allowed-too.txt; sleep 1000'), { wait: false })
      await until(() => made('allowed-too.txt'))
      await hub.call('interrupt_session', { session: name })
      await until(async () => (await hub.session(name)).activity.is === 'idle')
      expect(await prompt('FINAL awake')).toMatchObject({ answer: 'awake' })
    })

    test('runs no command while the hub is away, and the thread is complete when the hub is back', async () => {
      await prompt(`SLOW 3000\n${bash('touch allowed-away.txt')}\nFINAL over`, { wait: false })
      await until(() => hub.model.asked.some((asked) => asked.prompt.includes('FINAL over')))
      const { port } = hub.process
      await hub.whileAway(async () => {
        // Another program on the port of a dead hub could allow everything, unless the hooks use the socket.
        await using _ = await (shared === 'yes' ? startImpostor(port) : undefined)
        await until(() =>
          hub.model.asked.some((asked) => asked.prompt.includes('FINAL over') && asked.results.length > 0),
        )
      })
      expect(made('allowed-away.txt')).toBe(false)
      await until(async () => (await lastSaid()) === 'over')
      const thread = await messages()
      expect(new Set(thread.map(({ id }) => id)).size).toBe(thread.length)
      expect((await hub.session(name)).governed).toEqual({ is: 'yes' })
      expect(await prompt('FINAL back')).toMatchObject({ answer: 'back' })
    })

    test.each([
      ['through the next hub', 'echo asked > seven.txt', 'seven.txt'],
      ['in its dialog', 'echo asked > eight.txt', 'eight.txt'],
    ])('a question that was open when the hub was killed is answered %s', async (where, command, file) => {
      await until(async () => (await hub.session(name)).activity.is === 'idle')
      await prompt(`${bash(command)}\nFINAL made ${file}`)
      const { id } = await approval()
      await until(async () => claude.asks.test(await hub.screen(name)))
      await hub.whileAway(async () => {})
      await until(async () => (await approval()).waiting)
      expect((await approval()).id).toBe(id)
      if (where === 'in its dialog') await hub.acceptDialog(name)
      else await hub.call('decide_approval', { id, decision: 'approve' })
      await until(async () => (await lastSaid()) === `made ${file}`)
      expect(made(file)).toBe(true)
      await until(async () => (await approvals('consumed')).some((each) => each.id === id))
      expect(await approvals('pending')).toEqual([])
    })

    test('begins another thread when a person clears the conversation', async () => {
      const { thread: before } = await hub.session(name)
      await hub.call('send_input', { name, text: '/clear' })
      await until(async () => (await hub.session(name)).thread !== before)
      expect(await prompt('FINAL new')).toMatchObject({ answer: 'new' })
      expect(await messages()).toHaveLength(2)
    })
  })
})
