/** opencode in the mode `both`: its terminal interface and its server share one conversation, under the policy. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Frame, Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { startImpostor } from './impostor.ts'
import { describeWith } from './requires-agent.ts'

const opencode = agents.find(({ name }) => name === 'opencode')!
const name = 'agent'
const slow = { timeout: 120_000 }

const policy = JSON.stringify({
  rules: [
    { allow: 'own_shell', when: shellWith('allowed') },
    { ask: 'own_shell', when: shellWith('askedfor') },
    { deny: 'own_shell', when: shellWith('forbidden'), reason: 'it is forbidden' },
  ],
})

function shellWith(word: string) {
  return { properties: { command: { pattern: word } }, required: ['command'] }
}

const run = (command: string) => `CALL bash ${JSON.stringify({ command, description: 'Does it' })}`

describeWith(opencode, () => {
  let hub: AgentHub
  beforeAll(async () => {
    hub = await startAgentHub(opencode)
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  const made = (file: string) => existsSync(join(hub.workspace, file))
  const prompt = (text: string, wait = true) =>
    hub.call('prompt_session', { session: name, text, wait, timeout_ms: 100_000 })
  const frames = async (): Promise<readonly Frame[]> =>
    ((await hub.call('read_thread', { thread: name })) as unknown as Thread).events
  /** The messages of the thread, without ids and times. */
  const said = async () => (await frames()).flatMap(wordsOf)
  const since = async (before: readonly unknown[]) => (await said()).slice(before.length)
  const hasSaid = (words: string) => expect.poll(said, slow).toContain(words)
  const idle = () => hub.call('wait_session', { name, for: 'idle', timeout_ms: 60_000 })
  const decide = ({ id }: Approval, decision: 'approve' | 'deny') => hub.call('decide_approval', { id, decision })
  async function decided(id: string): Promise<Approval | undefined> {
    const { approvals } = await hub.call('list_approvals', { session: name, status: 'all' })
    return (approvals as Approval[]).find((each) => each.id === id)
  }
  /** The approval that is pending now. */
  async function approval(): Promise<Approval> {
    return until(async () => {
      const { approvals } = await hub.call('list_approvals', { session: name })
      return (approvals as Approval[])[0]
    })
  }

  test('a prompt is answered in the thread and in the terminal', { timeout: 300_000 }, async () => {
    const created = await hub.call('create_session', {
      name,
      template: 'opencode',
      working_dir: hub.workspace,
      tools: ['read_screen'],
      policy,
      prompt: 'THINK hmm\nSAY hello\nCALL terminal_read_screen {}\nFINAL I have seen it',
    })
    expect(created['prompt']).toEqual({ delivered: true })
    await expect
      .poll(said, slow)
      .toEqual([
        'prompt THINK hmm\nSAY hello\nCALL terminal_read_screen {}\nFINAL I have seen it',
        'thinking hmm',
        'token hello',
        'call signalbox_terminal_read_screen',
        'success signalbox_terminal_read_screen',
        'token I have seen it',
        'complete completed',
      ])
    await until(async () => /^(?!.*FINAL).*I have seen it/m.test(await hub.screen(name)))
    expect(await hub.session(name)).toMatchObject({ mode: 'both', governed: { is: 'yes' } })
  })

  test('a rule allows, or denies, a command of its own shell, and no person is asked', slow, async () => {
    const before = await said()
    const text = `${run('touch allowed.txt')}\n${run('touch forbidden.txt')}\nFINAL tried`
    expect(await prompt(text)).toMatchObject({ status: 'completed', answer: 'tried' })
    expect(made('allowed.txt')).toBe(true)
    expect(made('forbidden.txt')).toBe(false)
    expect(await since(before)).toEqual([
      `prompt ${text}`,
      'call bash',
      'success bash',
      'call bash',
      'error bash',
      'token tried',
      'complete completed',
    ])
    expect(hub.model.asked.at(-1)?.results.at(-1)).toContain('it is forbidden')
    const { approvals } = await hub.call('list_approvals', { session: name, status: 'approved' })
    expect(approvals).toEqual([])
  })

  test('a rule asks a person, who approves and then denies through the hub', slow, async () => {
    expect(await prompt(`${run('touch askedfor1.txt')}\nFINAL first`, true)).toMatchObject({ status: 'waiting' })
    const first = await approval()
    expect(first).toMatchObject({
      tool: 'own_shell',
      arguments: { command: 'touch askedfor1.txt', cwd: hub.workspace },
    })
    expect(made('askedfor1.txt')).toBe(false)
    await decide(first, 'approve')
    await hasSaid('token first')
    expect(made('askedfor1.txt')).toBe(true)
    await idle()

    await prompt(`${run('touch askedfor2.txt')}\nFINAL second`)
    await decide(await approval(), 'deny')
    await hasSaid('token second')
    expect(made('askedfor2.txt')).toBe(false)
    await until(async () => !/Signalbox asks/.test(await hub.screen(name)))
    await idle()
  })

  test('a rule asks a person, who approves in the terminal', slow, async () => {
    await prompt(`${run('touch askedfor3.txt')}\nFINAL third`)
    const { id } = await approval()
    await until(async () => /Signalbox asks: own_shell: touch askedfor3.txt/.test(await hub.screen(name)))
    await hub.call('send_keys', { session: name, keys: 'Down Enter' })
    await hasSaid('token third')
    expect(made('askedfor3.txt')).toBe(true)
    expect(await decided(id)).toMatchObject({ decided_by: expect.stringContaining('terminal') })
    await idle()
  })

  test('the question of its own settings is answered through the hub, or in the terminal', slow, async () => {
    await prompt(`${run('touch own1.txt')}\nFINAL by the hub`)
    await until(async () => opencode.asks.test(await hub.screen(name)))
    await decide(await approval(), 'approve')
    await hasSaid('token by the hub')
    expect(made('own1.txt')).toBe(true)
    await idle()

    await prompt(`${run('touch own2.txt')}\nFINAL in the terminal`)
    const { id } = await approval()
    await hub.acceptDialog(name)
    await hasSaid('token in the terminal')
    expect(made('own2.txt')).toBe(true)
    expect(await decided(id)).toMatchObject({ decided_by: expect.stringContaining('terminal') })
    await idle()
  })

  test('its shell does not see the password, and cannot answer its own question', slow, async () => {
    const { id } = await hub.session(name)
    const { port } = JSON.parse(readFileSync(join(hub.data, 'sessions', id, 'opencode-server.json'), 'utf8')) as {
      port: number
    }
    const tries = [
      'echo allowed',
      'echo "[$OPENCODE_SERVER_PASSWORD]" > seen.txt',
      `curl -s -o /dev/null -w "%{http_code}" -u "opencode:$OPENCODE_SERVER_PASSWORD" http://127.0.0.1:${port}/permission >> seen.txt`,
      `curl -s -o /dev/null -w " %{http_code}" -H "Authorization: Bearer $SIGNALBOX_TOKEN" -d '{"event":"permission.replied"}' "\${SIGNALBOX_URL%/mcp}/hooks/opencode" >> seen.txt`,
    ]
    expect(await prompt(`${run(tries.join('; '))}\nFINAL tried it`)).toMatchObject({ answer: 'tried it' })
    expect(readFileSync(join(hub.workspace, 'seen.txt'), 'utf8')).toMatch(/^\[\]\n401 4\d\d$/)
  })

  test('a prompt during a turn joins it, and interrupting ends it', slow, async () => {
    await prompt(`SLOW 4000\n${run('echo allowed')}\nFINAL never`, false)
    await expect.poll(async () => (await hub.session(name)).activity.is, slow).toBe('working')
    await hub.call('steer_session', { session: name, text: 'STALL' })
    await hasSaid('prompt STALL')
    await hub.call('interrupt_session', { session: name })
    await hasSaid('complete interrupted')
    await idle()
  })

  test(
    'a hub that is killed in the middle of a turn has all of it when it is back, once',
    { timeout: 300_000 },
    async () => {
      const before = await said()
      const text = `SLOW 1500\nSAY one\n${run('touch allowed3.txt')}\n${run('touch allowed4.txt')}\nFINAL it went on`
      await prompt(text, false)
      await hasSaid('token one')
      const { port } = hub.process
      await hub.whileAway(async () => {
        await using _ = await startImpostor(port)
        // The first call was decided. The second one needs the hub, and is refused.
        await expect.poll(() => hub.model.asked.at(-1)?.results.length, slow).toBe(2)
      })
      await hasSaid('token it went on')
      expect(await since(before)).toEqual([
        `prompt ${text}`,
        'token one',
        'call bash',
        expect.stringMatching(/^(success|error) bash$/),
        'call bash',
        'error bash',
        'token it went on',
        'complete completed',
      ])
      expect(made('allowed4.txt')).toBe(false)
      expect(await hub.session(name)).toMatchObject({ governed: { is: 'yes' } })
      await idle()
    },
  )

  test('questions that are open when the hub is killed are answered by the next', { timeout: 300_000 }, async () => {
    await prompt(`${run('touch own5.txt')}\nFINAL after a restart`)
    const asked = await approval()
    await hub.whileAway(async () => {})
    await decide(await approval(), 'approve')
    await hasSaid('token after a restart')
    expect(made('own5.txt')).toBe(true)
    expect((await said()).filter((word) => word === 'token after a restart')).toHaveLength(1)
    await idle()

    await prompt(`${run('touch askedfor6.txt')}\nFINAL after another`)
    await approval()
    await hub.whileAway(async () => {})
    await decide(await approval(), 'approve')
    await hasSaid('token after another')
    expect(made('askedfor6.txt')).toBe(true)
    expect(asked.tool).toBe('own_shell')
    await idle()
  })

  test('a person who begins another conversation in the terminal begins another thread', slow, async () => {
    const { thread } = await hub.session(name)
    await hub.call('send_input', { name, text: '/new' })
    await until(async () => !/after another/.test(await hub.screen(name)))
    await hub.call('send_input', { name, text: 'FINAL a new beginning' })
    await expect
      .poll(said, slow)
      .toEqual(['prompt FINAL a new beginning', 'token a new beginning', 'complete completed'])
    expect((await hub.session(name)).thread).not.toBe(thread)
  })

  test('asks by its own protocol, and is answered', slow, async () => {
    const question = { question: 'Which color?', header: 'Color', options: [option('Red'), option('Blue')] }
    await prompt(`CALL question ${JSON.stringify({ questions: [question] })}\nFINAL asked`)
    const { question: asked } = await hub.session(name)
    expect(asked).toMatchObject({ text: 'Which color?', choices: ['Red', 'Blue'] })
    await hub.call('answer_question', { session: name, question: asked?.id, answer: 'Blue' })
    await hasSaid('token asked')
    expect(hub.model.asked.at(-1)?.results.at(-1)).toContain('Blue')
    await idle()
  })

  test('a resumed session continues the thread', { timeout: 300_000 }, async () => {
    const before = await said()
    await hub.call('kill_session', { name })
    const resumed = await hub.call('resume_session', { name, prompt: 'FINAL we continue' })
    expect(resumed['prompt']).toEqual({ delivered: true })
    await hasSaid('token we continue')
    expect((await said()).slice(0, before.length)).toEqual(before)
  })
})

function option(label: string) {
  return { label, description: label }
}

/** The words of a frame, without ids and times. */
function wordsOf(frame: Frame): readonly string[] {
  switch (frame.type) {
    case 'tool-request':
      return [`call ${frame.name}`]
    case 'tool-result':
      return [`${frame.stage} ${frame.name}`]
    case 'complete':
      return [`complete ${[frame.status, frame.reason].filter(Boolean).join(': ')}`]
    case 'error':
      return [`error ${frame.message}`]
    case 'prompt':
    case 'token':
    case 'thinking':
      return [`${frame.type} ${frame.text}`]
    case 'final':
      return []
  }
}
