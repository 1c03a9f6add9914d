/** Codex over its app-server: its answers, its actions and its permissions, with and without its interface. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Approval } from '../../src/api/approval.ts'
import type { Frame, Thread } from '../../src/api/thread.ts'
import { connectToAppServer, introduce } from '../../src/drivers/codex/app-server.ts'
import { createAnswerRoom } from '../../src/drivers/port/answer-room.ts'
import { tokenOf } from '../../src/drivers/codex/server-program.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const codex = agents.find(({ name }) => name === 'codex')!
const slow = { timeout: 60_000 }

const shell = (cmd: string, more: object = {}) => `CALL exec_command ${JSON.stringify({ cmd, ...more })}`

function using(hub: AgentHub) {
  return {
    start: (name: string, args: object = {}) =>
      hub.call('create_session', { name, template: 'codex', working_dir: hub.workspace, ...args }),
    prompt: (session: string, text: string, args: object = {}) =>
      hub.call('prompt_session', { session, text, timeout_ms: 30_000, ...args }),
    thread: async (session: string) => (await hub.call('read_thread', { session })) as unknown as Thread,
    async approvals(session: string) {
      return ((await hub.call('list_approvals', { session })) as unknown as { approvals: Approval[] }).approvals
    },
  }
}

/** Each frame as one word or two, in order. */
function toldIn({ events }: Thread): readonly string[] {
  return events.map((frame: Frame) => ('text' in frame ? `${frame.type}: ${frame.text}` : frame.type))
}

describeWith(codex, () => {
  let hub: AgentHub
  let codexHub: ReturnType<typeof using>
  beforeAll(async () => {
    hub = await startAgentHub(codex)
    codexHub = using(hub)
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  for (const mode of ['structured', 'both'] as const) {
    test(`${mode}: a prompt is answered in the thread, and the session says what it did`, async () => {
      const name = `answers-${mode}`
      await codexHub.start(name, { mode })
      const turn = await codexHub.prompt(name, 'THINK about it\nFINAL it is done')
      expect(turn).toMatchObject({ status: 'completed', answer: 'it is done', usage: { output_tokens: 10 } })
      expect(toldIn(await codexHub.thread(name))).toEqual([
        'prompt: THINK about it\nFINAL it is done',
        'thinking: about it',
        'token: it is done',
        'final: it is done',
        'complete',
      ])
      expect(await hub.session(name)).toMatchObject({ mode, governed: { is: 'yes' }, activity: { is: 'idle' } })
      if (mode === 'both') await until(async () => /^(?!.*FINAL).*it is done/m.test(await hub.screen(name)))
      await hub.call('kill_session', { name })
    })
  }

  test('terminal: a prompt is typed into the interface, without a server', async () => {
    const name = 'plain'
    const created = await codexHub.start(name, { mode: 'terminal', prompt: 'FINAL it is plain' })
    expect(created).toMatchObject({ mode: 'terminal', prompt: { delivered: true } })
    await until(async () => /^(?!.*FINAL).*it is plain/m.test(await hub.screen(name)))
    await hub.call('kill_session', { name })
  })

  test('a tool of the hub is called through the compositor, and is in the thread', async () => {
    const name = 'tools'
    await codexHub.start(name, { tools: ['read_screen'] })
    const turn = await codexHub.prompt(name, 'CALL terminal_read_screen {}\nFINAL I have seen it')
    expect(turn).toMatchObject({ status: 'completed', answer: 'I have seen it' })
    const { events } = await codexHub.thread(name)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', name: 'mcp__signalbox__terminal_read_screen', stage: 'success' }),
    )
    expect(await codexHub.approvals(name)).toEqual([])
    await hub.call('kill_session', { name })
  })

  test('a command that no rule matches runs in the sandbox without a question, and asks if it leaves it', async () => {
    const name = 'unruled'
    await codexHub.start(name, { mode: 'structured' })
    const inside = await codexHub.prompt(name, `${shell('echo it > inside.txt')}\nFINAL inside`)
    expect(inside).toMatchObject({ status: 'completed', answer: 'inside' })
    expect(existsSync(join(hub.workspace, 'inside.txt'))).toBe(true)
    // Without a justification, the question of Codex does not show that the command leaves the sandbox.
    const escalated = { sandbox_permissions: 'require_escalated' }
    const outside = await codexHub.prompt(name, `${shell('echo it > outside.txt', escalated)}\nFINAL outside`)
    expect(outside).toMatchObject({ status: 'waiting', reason: 'approval: own_shell' })
    const [approval] = await codexHub.approvals(name)
    expect(approval).toMatchObject({
      tool: 'own_shell',
      arguments: { command: 'echo it > outside.txt', cwd: hub.workspace, agent_tool: 'exec_command' },
    })
    expect(existsSync(join(hub.workspace, 'outside.txt'))).toBe(false)
    await hub.call('decide_approval', { id: approval?.id, decision: 'approve' })
    await answered(name, 'outside')
    expect(existsSync(join(hub.workspace, 'outside.txt'))).toBe(true)
    await hub.call('kill_session', { name })
  })

  test('a rule denies a command, and the model goes on', async () => {
    const name = 'denied'
    await codexHub.start(name, { policy: 'rules: [{ deny: "own_shell", reason: no shell today }]' })
    const turn = await codexHub.prompt(name, `${shell('echo it > denied.txt')}\nFINAL I go on`)
    expect(turn).toMatchObject({ status: 'completed', answer: 'I go on' })
    expect(existsSync(join(hub.workspace, 'denied.txt'))).toBe(false)
    const { events } = await codexHub.thread(name)
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', stage: 'error' }))
    await hub.call('kill_session', { name })
  })

  test('a rule aborts the turn', async () => {
    const name = 'aborted'
    await codexHub.start(name, { mode: 'structured', policy: 'rules: [{ abort: "own_shell" }]' })
    const turn = await codexHub.prompt(name, `${shell('echo it > aborted.txt')}\nFINAL I go on`)
    expect(turn).toMatchObject({ status: 'interrupted' })
    expect(existsSync(join(hub.workspace, 'aborted.txt'))).toBe(false)
    await hub.call('kill_session', { name })
  })

  test('a rule asks, and the person answers on the page or in the terminal; the other side is told', async () => {
    const name = 'asked'
    await codexHub.start(name, { policy: 'rules: [{ ask: "own_shell" }]' })
    for (const file of ['page', 'terminal', 'refused']) {
      const turn = await codexHub.prompt(name, `${shell(`echo it > ${file}.txt`)}\nFINAL ${file}`)
      expect(turn).toMatchObject({ status: 'waiting', reason: 'approval: own_shell' })
      const [approval] = await codexHub.approvals(name)
      expect(approval).toMatchObject({ tool: 'own_shell', arguments: { command: `echo it > ${file}.txt` } })
      if (file === 'page') await hub.call('decide_approval', { id: approval?.id, decision: 'approve' })
      else if (file === 'terminal') await hub.acceptDialog(name)
      else {
        await expect.poll(() => hub.screen(name), slow).toMatch(codex.asks)
        await expect
          .poll(
            () =>
              hub.call('send_input', { name, text: '3' }).then(
                () => true,
                () => false,
              ),
            slow,
          )
          .toBe(true)
      }
      await expect.poll(() => codexHub.approvals(name), slow).toEqual([])
      const { approvals } = (await hub.call('list_approvals', { session: name, status: 'all' })) as unknown as {
        approvals: Approval[]
      }
      const decided = approvals.find(({ id }) => id === approval?.id)
      expect(decided).toMatchObject({ status: file === 'refused' ? 'denied' : 'consumed' })
      if (file !== 'page') expect(decided?.decided_by).toContain('terminal')
      await expect.poll(async () => (await hub.session(name)).activity.is, slow).toBe('idle')
      expect(existsSync(join(hub.workspace, `${file}.txt`))).toBe(file !== 'refused')
      await expect.poll(() => hub.screen(name), slow).not.toMatch(codex.asks)
    }
    await hub.call('kill_session', { name })
  })

  test('a turn goes on while the hub is killed, and the thread has everything once', async () => {
    const name = 'survives'
    await codexHub.start(name)
    const prompt = [
      'THINK about it',
      'SAY I begin',
      shell('echo it > survived.txt; sleep 2'),
      'SLOW 2000',
      'FINAL I was alone',
    ].join('\n')
    await codexHub.prompt(name, prompt, { wait: false })
    await until(() => existsSync(join(hub.workspace, 'survived.txt')))
    await hub.whileAway(async () => {})
    await answered(name, 'I was alone')
    expect(toldIn(await codexHub.thread(name))).toEqual([
      `prompt: ${prompt}`,
      'thinking: about it',
      'token: I begin',
      'tool-request',
      'tool-result',
      'token: I was alone',
      'final: I was alone',
      'complete',
    ])
    expect(await hub.session(name)).toMatchObject({ governed: { is: 'yes' } })
    await hub.call('kill_session', { name })
  })

  test('a turn that ends while there is no hub is in the thread of the next one, with its usage', async () => {
    const name = 'ends-alone'
    await codexHub.start(name, { mode: 'structured' })
    expect(await codexHub.prompt(name, 'FINAL one')).toMatchObject({ usage: { output_tokens: 10 } })
    const prompt = `SLOW 1000\n${shell('echo it > alone.txt')}\nFINAL two`
    await codexHub.prompt(name, prompt, { wait: false })
    await until(() => existsSync(join(hub.workspace, 'alone.txt')))
    await hub.whileAway(() =>
      until(() =>
        hub.model.asked.some(({ prompt: asked, results }) => asked.trimEnd() === prompt && results.length === 1),
      ).then(() => wait(2_000)),
    )
    await answered(name, 'two')
    const thread = await codexHub.thread(name)
    expect(toldIn(thread).filter((frame) => frame === 'complete')).toHaveLength(2)
    expect(thread.usage).toEqual({ input_tokens: 300, output_tokens: 30 })
    await hub.call('kill_session', { name })
  })

  for (const mode of ['structured', 'both'] as const) {
    test(`${mode}: a question that was open when the hub was killed is asked once, and answered by the next hub`, async () => {
      const name = `open-${mode}`
      await codexHub.start(name, { mode, policy: 'rules: [{ ask: ["own_shell", "own_write"] }]' })
      const patch = ['*** Begin Patch', '*** Add File: patched.txt', '+it', '*** End Patch'].join('\n')
      for (const [command, tool] of [
        [`echo it > ${name}.txt`, 'own_shell'],
        [`apply_patch <<'EOF'\n${patch}\nEOF`, 'own_write'],
      ] as const) {
        const turn = await codexHub.prompt(name, `${shell(command)}\nFINAL ${tool}`)
        expect(turn).toMatchObject({ status: 'waiting', reason: `approval: ${tool}` })
        const [before] = await codexHub.approvals(name)
        await hub.whileAway(async () => {})
        await expect.poll(async () => (await hub.session(name)).activity.is, slow).toBe('waiting')
        const open = await codexHub.approvals(name)
        expect(open.map(({ id }) => id)).toEqual([before?.id])
        await hub.call('decide_approval', { id: before?.id, decision: 'approve' })
        await answered(name, tool)
        expect(await codexHub.approvals(name)).toEqual([])
      }
      expect(existsSync(join(hub.workspace, `${name}.txt`))).toBe(true)
      expect(existsSync(join(hub.workspace, 'patched.txt'))).toBe(true)
      rmSync(join(hub.workspace, 'patched.txt'))
      await hub.call('kill_session', { name })
    })
  }

  test('a turn is steered, and another is interrupted', async () => {
    const name = 'steered'
    await codexHub.start(name)
    await codexHub.prompt(name, `SLOW 1500\n${shell('true')}\nFINAL first`, { wait: false })
    await expect.poll(async () => toldIn(await codexHub.thread(name)), slow).toContain('tool-result')
    await hub.call('steer_session', { session: name, text: 'FINAL steered' })
    await answered(name, 'steered')
    expect(toldIn(await codexHub.thread(name)).filter((frame) => frame === 'complete')).toHaveLength(1)
    await codexHub.prompt(name, 'STALL', { wait: false })
    await expect.poll(() => hub.model.asked.at(-1)?.prompt.trimEnd(), slow).toBe('STALL')
    await hub.call('interrupt_session', { session: name })
    await expect
      .poll(async () => (await codexHub.thread(name)).events.at(-1), slow)
      .toMatchObject({ type: 'complete', status: 'interrupted' })
    expect(await codexHub.prompt(name, 'FINAL again')).toMatchObject({ status: 'completed', answer: 'again' })
    await hub.call('kill_session', { name })
  })

  test('an ended session is resumed with its conversation and its thread', async () => {
    const name = 'resumed'
    await codexHub.start(name, { mode: 'structured' })
    await codexHub.prompt(name, 'FINAL one')
    const { thread_id: thread } = await codexHub.thread(name)
    await hub.call('kill_session', { name })
    const resumed = await hub.call('resume_session', { name, prompt: 'FINAL two' })
    expect(resumed).toMatchObject({ prompt: { delivered: true } })
    await answered(name, 'two')
    const after = await codexHub.thread(name)
    expect(after.thread_id).toBe(thread)
    expect(after.messages.map(({ content }) => content[0]?.text)).toEqual(['FINAL one', 'one', 'FINAL two', 'two'])
    expect(hub.model.asked.at(-1)?.earlier.map((text) => text.trimEnd())).toContain('FINAL one')
    expect(after.usage).toEqual({ input_tokens: 200, output_tokens: 20 })
    await hub.call('kill_session', { name })
  })

  test('/new in the terminal stays under the policy, and prompts go to the new conversation', async () => {
    const name = 'fresh'
    await codexHub.start(name, { policy: 'rules: [{ deny: "own_shell" }]' })
    await codexHub.prompt(name, 'FINAL old')
    const { thread: old } = await hub.session(name)
    await expect.poll(() => hub.screen(name), slow).toMatch(codex.ready)
    await hub.call('send_input', { name, text: '/new' })
    await expect.poll(() => hub.screen(name), slow).toMatch(codex.ready)
    await expect
      .poll(
        () =>
          hub.call('send_input', { name, text: `${shell('echo it > fresh.txt')}\nFINAL new` }).then(
            () => true,
            () => false,
          ),
        slow,
      )
      .toBe(true)
    await answered(name, 'new')
    const session = await hub.session(name)
    expect(session.thread).not.toBe(old)
    expect(session).toMatchObject({ governed: { is: 'yes' } })
    expect(existsSync(join(hub.workspace, 'fresh.txt'))).toBe(false)
    expect(await codexHub.prompt(name, 'FINAL still new')).toMatchObject({ answer: 'still new' })
    expect((await codexHub.thread(name)).thread_id).toBe(session.thread)
    await hub.call('kill_session', { name })
  })

  test('a conversation that begins while no hub runs is shown, and is under the policy when a hub is back', async () => {
    const name = 'unseen'
    await codexHub.start(name, { policy: 'rules: [{ deny: "own_shell" }]' })
    await codexHub.prompt(name, 'FINAL seen')
    const { id } = await hub.session(name)
    const made = join(hub.workspace, 'unseen.txt')
    await hub.whileAway(async () => {
      const file = readFileSync(join(hub.data, 'sessions', id, 'codex-server.json'), 'utf8')
      const { url } = JSON.parse(file) as { url: string }
      const token = tokenOf(readFileSync(join(hub.data, 'codex.key')), id)
      // As the interface does for /new.
      const listeners = { onNotification() {}, onRequest() {}, onClose() {} }
      using server = await connectToAppServer({ url, token }, listeners, createAnswerRoom())
      await introduce(server)
      const started = z.object({ thread: z.object({ id: z.string() }) })
      const { thread } = await server.call('thread/start', { cwd: hub.workspace }, started)
      const text = `${shell('echo it > unseen.txt')}\nFINAL unseen`
      const input = [{ type: 'text', text, text_elements: [] }]
      await server.call('turn/start', { threadId: thread.id, input }, z.unknown())
      await until(() => existsSync(made))
    })
    await expect
      .poll(async () => (await hub.session(name)).governed, slow)
      .toMatchObject({ is: 'partly', reason: expect.stringMatching(/^While the hub was away, a conversation began/) })
    rmSync(made)
    await codexHub.prompt(name, `${shell('echo it > unseen.txt')}\nFINAL seen again`)
    expect(existsSync(made)).toBe(false)
    await hub.call('kill_session', { name })
  })

  test('the session ends when a person closes the interface, and its server with it', async () => {
    const name = 'closed'
    await codexHub.start(name)
    await codexHub.prompt(name, 'FINAL bye')
    await expect.poll(() => hub.screen(name), slow).toMatch(codex.ready)
    await hub.call('send_input', { name, text: '/quit' })
    await expect.poll(async () => (await hub.session(name)).status, slow).toBe('completed')
    const { id } = await hub.session(name)
    await expect.poll(() => existsSync(join(hub.home, '../hub/run/holders', `${id}.server.sock`)), slow).toBe(false)
  })

  test('full access that a person chooses in the terminal is undone, and shown', async () => {
    const name = 'loosened'
    await codexHub.start(name, { policy: 'rules: [{ deny: "own_shell" }]' })
    await codexHub.prompt(name, 'FINAL before')
    await expect.poll(() => hub.screen(name), slow).toMatch(codex.ready)
    await hub.call('send_input', { name, text: '/permissions' })
    await expect.poll(() => hub.screen(name), slow).toMatch(/Full Access/)
    await hub.call('send_keys', { session: name, keys: 'Down Down' })
    await expect.poll(() => hub.screen(name), slow).toMatch(/› \d\. Full Access/)
    await hub.call('send_keys', { session: name, keys: 'Enter' })
    await until(async () => {
      const screen = await hub.screen(name)
      if (/Yes, continue anyway/.test(screen)) await hub.call('send_keys', { session: name, keys: 'Enter' })
      return (await hub.session(name)).governed?.is === 'partly'
    })
    expect(await hub.session(name)).toMatchObject({
      governed: { reason: expect.stringMatching(/full access.*undone/) },
    })
    const turn = await codexHub.prompt(name, `${shell('echo it > loosened.txt')}\nFINAL after`)
    expect(turn).toMatchObject({ status: 'completed', answer: 'after' })
    expect(existsSync(join(hub.workspace, 'loosened.txt'))).toBe(false)
    await hub.call('kill_session', { name })
  })

  test('a command outside the sandbox does not have the token of the server, and is refused without it', async () => {
    const name = 'tries'
    await codexHub.start(name, { policy: 'rules: [{ allow: "own_shell" }]' })
    const { log_path: journal } = await hub.session(name)
    const { url } = JSON.parse(readFileSync(join(journal, '../codex-server.json'), 'utf8')) as { url: string }
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGVzdHRlc3R0ZXN0dGVzdA==',
    ]
    const connect = `curl -s -o answer.txt -w '%{http_code}' ${upgrade.map((header) => `-H '${header}'`).join(' ')} ${url.replace('ws:', 'http:')}/ > status.txt`
    const escalated = { sandbox_permissions: 'require_escalated', justification: 'It tries.' }
    await codexHub.prompt(name, `${shell(`env > env.txt; ${connect}`, escalated)}\nFINAL tried`)
    const seen = (file: string) => readFileSync(join(hub.workspace, file), 'utf8')
    expect(seen('env.txt')).toContain('PATH=')
    expect(seen('env.txt')).not.toContain('SIGNALBOX_CODEX_TOKEN')
    expect(seen('status.txt')).toBe('401')
    await hub.call('kill_session', { name })
  })

  test('the commands of a subagent are under the policy too', async () => {
    const name = 'subagent'
    await codexHub.start(name, { policy: 'rules: [{ deny: "own_shell" }]' })
    const task = `${shell('echo it > subagent.txt')}\nFINAL sub`
    await codexHub.prompt(name, `CALL spawn_agent ${JSON.stringify({ message: task, task_name: 'sub' })}\nFINAL main`)
    await until(() =>
      hub.model.asked.some(
        ({ prompt, results }) =>
          prompt.includes('subagent.txt') &&
          results.length === 1 &&
          prompt.includes('FINAL sub') &&
          !prompt.includes('spawn_agent'),
      ),
    )
    expect(existsSync(join(hub.workspace, 'subagent.txt'))).toBe(false)
    await hub.call('kill_session', { name })
  })

  test('a failure of the model ends the turn with a reason, and the session stays', async () => {
    const name = 'failing'
    await codexHub.start(name, { mode: 'structured' })
    expect(await codexHub.prompt(name, 'FAIL 500')).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/\S/),
    })
    expect(await codexHub.prompt(name, 'FINAL well again')).toMatchObject({ status: 'completed', answer: 'well again' })
    await hub.call('kill_session', { name })
  })

  async function answered(name: string, answer: string): Promise<void> {
    await expect.poll(async () => toldIn(await codexHub.thread(name)), slow).toContain(`final: ${answer}`)
    await expect.poll(async () => (await hub.session(name)).activity.is, slow).toBe('idle')
  }
})
