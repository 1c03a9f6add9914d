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
  /** Empty before it has said anything. */
  const messages = async (session: string): Promise<readonly Message[]> =>
    (await hub.session(session)).thread === undefined
      ? []
      : ((await hub.call('read_thread', { session })) as unknown as Thread).messages
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
    expect(await prompt('talker', 'THINK hm\nFINAL done')).toMatchObject({
      status: 'completed',
      answer: 'done',
      usage: { input_tokens: expect.any(Number), cost_usd: expect.any(Number) },
    })
    expect(await said('talker')).toEqual(['user THINK hm\nFINAL done', 'assistant hm done'])
    expect(await hub.session('talker')).toMatchObject({ governed: { is: 'yes' }, activity: { is: 'idle' } })
  })

  test('runs what a rule allows, and tells the model why a rule denies a command', async () => {
    await start('ruled')
    const { answer } = await prompt('ruled', [bash('echo allowed > one.txt'), bash('touch forbidden.txt')].join('\n'))
    expect(answer).toContain('this command is not for agents')
    expect(existsSync(join(hub.workspace, 'one.txt'))).toBe(true)
    expect(existsSync(join(hub.workspace, 'forbidden.txt'))).toBe(false)
    expect((await hub.call('list_approvals', { session: 'ruled' }))['approvals']).toEqual([])
  })

  test('ends its turn when a rule says abort, and takes the next prompt', async () => {
    await start('aborted')
    expect(await prompt('aborted', bash('echo aborted'))).toMatchObject({
      status: 'interrupted',
      reason: 'The policy ended the turn.',
    })
    expect(await prompt('aborted', 'FINAL again')).toMatchObject({ status: 'completed', answer: 'again' })
  })

  test.each([
    ['a rule asks', 'echo asked > two.txt', 'two.txt'],
    ['its own settings ask', 'touch three.txt', 'three.txt'],
  ])('waits for a person, once, if %s', async (_who, command, file) => {
    const name = `asks-${file.slice(0, 3)}`
    await start(name)
    expect(await prompt(name, `${bash(command)}\nFINAL made`)).toMatchObject({ status: 'waiting' })
    const { id, tool, arguments: args } = await approval(name)
    expect({ tool, args }).toMatchObject({
      tool: 'own_shell',
      args: { command, cwd: hub.workspace, agent_tool: 'Bash' },
    })
    expect(existsSync(join(hub.workspace, file))).toBe(false)
    await hub.call('decide_approval', { id, decision: 'approve' })
    await until(async () => (await said(name)).at(-1) === 'assistant made')
    expect(existsSync(join(hub.workspace, file))).toBe(true)
    // The same call again is another call.
    await prompt(name, `${bash(command)}\nFINAL again`)
    const second = await approval(name)
    await hub.call('decide_approval', { id: second.id, decision: 'deny', reason: 'not twice' })
    await until(async () => (await said(name)).at(-1) === 'assistant again')
    expect(JSON.stringify(await messages(name))).toContain('not twice')
  })

  test('asks a person its own questions, one by one', async () => {
    const question = (text: string) => ({
      question: text,
      header: 'It',
      options: [
        { label: 'Red', description: 'r' },
        { label: 'Blue', description: 'b' },
      ],
      multiSelect: false,
    })
    await start('curious')
    const questions = [question('Which first?'), question('Which then?')]
    const asked = await prompt('curious', `CALL AskUserQuestion ${JSON.stringify({ questions })}`)
    expect(asked).toMatchObject({ status: 'waiting', reason: 'Which first?' })
    for (const [text, answer] of [
      ['Which first?', 'Red'],
      ['Which then?', 'Blue'],
    ] as const) {
      const open = await until(async () => {
        const { question: shown } = await hub.session('curious')
        return shown?.text === text && shown
      })
      expect(open.choices).toEqual(['Red', 'Blue'])
      await hub.call('answer_question', { session: 'curious', question: open.id, answer })
    }
    await until(async () => /"Which first\?"="Red".*"Which then\?"="Blue"/.test((await said('curious')).at(-1) ?? ''))
  })

  test('is interrupted in mid-turn, and takes the next prompt', async () => {
    await start('stalled')
    await prompt('stalled', bash('echo allowed > begun.txt; sleep 1000'), { wait: false })
    await until(() => existsSync(join(hub.workspace, 'begun.txt')))
    await hub.call('interrupt_session', { session: 'stalled' })
    await until(async () => (await hub.session('stalled')).activity.is === 'idle')
    expect(await prompt('stalled', 'FINAL awake')).toMatchObject({ status: 'completed', answer: 'awake' })
  })

  test('takes a text into the turn that runs', async () => {
    await start('steered')
    await prompt('steered', `SLOW 2000\n${bash('echo allowed')}\nFINAL there`, { wait: false })
    await until(() => hub.model.asked.some((asked) => asked.prompt.includes('FINAL there')))
    await hub.call('steer_session', { session: 'steered', text: 'and be quick' })
    await until(async () => (await said('steered')).at(-1) === 'assistant there')
    expect((await said('steered')).filter((line) => line.startsWith('user'))).toHaveLength(2)
  })

  test('goes on while the hub is killed in mid-turn, and the thread has everything once', async () => {
    await start('survivor')
    const calls = Array.from({ length: 4 }, (_, index) => bash(`echo allowed ${index}`))
    await prompt('survivor', ['SLOW 1000', 'SAY begun', ...calls, 'FINAL over'].join('\n'), { wait: false })
    await until(() =>
      hub.model.asked.some((asked) => asked.prompt.includes('FINAL over') && asked.results.length === 1),
    )
    await hub.whileAway(async () => {})
    await until(async () => (await said('survivor')).at(-1) === 'assistant over')
    const thread = await messages('survivor')
    const results = thread.filter(({ role }) => role === 'tool').map(({ content }) => content[0]?.text)
    expect(results).toEqual(['allowed 0', 'allowed 1', 'allowed 2', 'allowed 3'])
    expect(thread.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(new Set(thread.map(({ id }) => id)).size).toBe(thread.length)
    await until(async () => (await hub.session('survivor')).activity.is === 'idle')
    expect((await hub.session('survivor')).governed).toEqual({ is: 'yes' })
  })

  test.each([
    ['a rule', 'echo asked > four.txt', 'four.txt'],
    ['its own settings', 'touch five.txt', 'five.txt'],
  ])('a question by %s outlives the hub that asked it', async (_who, command, file) => {
    const name = `patient-${file.slice(0, 4)}`
    await start(name)
    await prompt(name, `${bash(command)}\nFINAL answered`)
    const { id } = await approval(name)
    await hub.whileAway(async () => {})
    await until(async () => (await approval(name)).waiting)
    expect((await approval(name)).id).toBe(id)
    expect(existsSync(join(hub.workspace, file))).toBe(false)
    await hub.call('decide_approval', { id, decision: 'approve' })
    await until(async () => (await said(name)).at(-1) === 'assistant answered')
    expect(existsSync(join(hub.workspace, file))).toBe(true)
  })

  test('continues its conversation and its thread in a later session', async () => {
    await start('returner')
    await prompt('returner', 'FINAL first')
    const { thread } = await hub.session('returner')
    await hub.call('kill_session', { name: 'returner' })
    await hub.call('resume_session', { name: 'returner' })
    expect(await prompt('returner', 'FINAL second')).toMatchObject({ answer: 'second' })
    expect(hub.model.asked.at(-1)?.earlier).toEqual(['FINAL first'])
    expect((await hub.session('returner')).thread).toBe(thread)
    expect(await said('returner')).toEqual([
      'user FINAL first',
      'assistant first',
      'user FINAL second',
      'assistant second',
    ])
  })
})
