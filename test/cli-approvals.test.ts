/** Answers approvals from the shell and at the keyboard, with a real hub, a session whose agent asks, and a real terminal. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Approval, Grant } from '../src/api/approval.ts'
import type { Person } from './fixtures/person.ts'
import { personAt } from './fixtures/person.ts'
import type { CliOutcome } from './fixtures/run-cli.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import type { Endpoint } from './harness/modern-call.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

let home: TempHome
let hub: HubProcess
let agent: Endpoint
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
  agent = await agentOf(hub)
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('a person at the shell', () => {
  test('lists, shows and approves a call', async () => {
    const { call, id } = await agentTypes('hello')
    expect((await signalbox('approvals', 'ls')).out).toMatch(
      new RegExp(`^${id} +fix +pending +\\d+s ago +– +terminal_send_text +.*"hello"`, 'm'),
    )
    const shown = await signalbox('approvals', 'show', id)
    expect(shown.out).toContain('session     fix\ntool        terminal_send_text\n')
    expect(shown.out).toContain('text: "hello"')
    expect(await signalbox('approvals', 'approve', id)).toEqual({
      code: 0,
      out: `${id} is approved: terminal_send_text in fix.`,
      err: '',
    })
    expect(await call).toMatchObject({ success: true })
    expect((await signalbox('approvals', 'ls')).out).toBe('No call waits for an answer.')
    expect((await signalbox('approvals', 'ls', '--all', '--session', 'fix')).out).toContain(id)
  })

  test('denies a call with a reason for its agent, and accepts no second answer', async () => {
    const { call, id } = await agentTypes('rm -rf /')
    expect((await signalbox('approvals', 'deny', id, '--reason', 'not that')).code).toBe(0)
    await expect(call).rejects.toThrow('not that')
    const late = await signalbox('approvals', 'approve', id)
    expect(late.code).toBe(5)
    expect(late.err).toMatch(/was denied by .* at .* \(not that\)/)
    expect(JSON.parse((await signalbox('approvals', 'show', id, '--json')).out)).toMatchObject({ id, status: 'denied' })
  })

  test('aborts a turn', async () => {
    const { call, id } = await agentTypes('again')
    expect(await signalbox('approvals', 'abort', id, '--json')).toMatchObject({ code: 0 })
    await expect(call).rejects.toMatchObject({ code: -32950 })
  })

  test('previews, creates, lists and revokes a grant', async () => {
    const { call, id } = await agentTypes('granted')
    const dry = await signalbox('approvals', 'approve', id, '--scope', 'session', '--dry-run')
    expect(dry.out).toBe('allows      terminal_send_text\nin          the session fix\nwith        any arguments')
    const made = await signalbox('approvals', 'approve', id, '--scope', 'session', '--json')
    const { grant } = JSON.parse(made.out) as Approval
    await call
    await callTool(agent, 'terminal_send_text', { text: 'and this is not asked for' })
    expect((await signalbox('grants')).out).toMatch(new RegExp(`^${grant} +fix +terminal_send_text `, 'm'))
    expect(await signalbox('grants', 'revoke', String(grant))).toMatchObject({
      code: 0,
      out: `Revoked grant ${grant}.`,
    })
    expect((await signalbox('grants')).out).toBe('There are no grants.')
    const all = JSON.parse((await signalbox('grants', '--all', '--json')).out) as { grants: Grant[] }
    expect(all.grants).toMatchObject([{ id: grant, revoked_by: expect.any(String) }])
  })

  test('refuses a wrong scope, flag, id or command', async () => {
    expect(await signalbox('approvals', 'approve', 'a1', '--scope', 'forever')).toMatchObject({ code: 2 })
    expect(await signalbox('approvals', 'approve', 'a1', '--tool', '*')).toMatchObject({ code: 2 })
    expect(await signalbox('approvals', 'deny', 'a1')).toMatchObject({ code: 5, err: expect.stringContaining('"a1"') })
    expect(await signalbox('approvals')).toMatchObject({ code: 2, err: expect.stringContaining('approvals ls') })
    expect(await signalbox('approvals', 'aprove', 'a1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('approve'),
    })
  })
})

describe('a person at the keyboard', () => {
  test('sees calls as they come, and answers each with a key', async () => {
    const person = await openApprovals()
    await person.sees('No call waits for an answer')
    const first = await agentTypes('one')
    await person.sees('text: "one"')
    const second = await agentTypes('two')
    await person.sees('2 waiting')
    expect(person.screen.text()).toContain('text: "one"')
    person.type('a')
    expect(await first.call).toMatchObject({ success: true })
    await person.sees('text: "two"')
    person.type('d')
    await person.sees('Reason to deny?')
    person.type('too much')
    await person.sees('too much')
    person.type('\r')
    await expect(second.call).rejects.toThrow('too much')
    await person.sees('No call waits for an answer')
    person.type('q')
    expect(await person.exit).toBe(0)
    expect(person.screen.text()).toContain(`${first.id} is approved: terminal_send_text in fix`)
    expect(person.screen.text()).toContain(`${second.id} is denied`)
  })

  test('sees a grant before it is created, and can cancel', async () => {
    const person = await openApprovals()
    const { call, id } = await agentTypes('once and for all')
    await person.sees('once and for all')
    person.type('r')
    await person.sees('This creates a grant')
    await person.sees('"const": "once and for all"')
    person.type('n')
    await person.sees('a approve')
    person.type('s')
    await person.sees('the session fix')
    expect((await signalbox('approvals', 'ls')).out).toContain(id)
    person.type('y')
    await call
    const { grants } = JSON.parse((await signalbox('grants', '--json')).out) as { grants: Grant[] }
    expect(grants).toMatchObject([{ tool: 'terminal_send_text', session: 'fix', approval: id }])
    await signalbox('grants', 'revoke', String(grants[0]?.id))
    person.type('q')
    expect(await person.exit).toBe(0)
  })

  test('learns that another person has answered, and cannot answer the next call by mistake', async () => {
    const person = await openApprovals()
    const first = await agentTypes('first')
    await person.sees('text: "first"')
    const second = await agentTypes('second')
    await person.sees('2 waiting')
    await signalbox('approvals', 'abort', first.id)
    await expect(first.call).rejects.toThrow()
    await person.sees('This call needs no answer any more. Space')
    person.type('a')
    await person.sees('Nothing was done')
    expect((await signalbox('approvals', 'show', second.id, '--json')).out).toContain('"pending"')
    person.type(' ')
    await person.sees('text: "second"')
    person.type('x')
    await person.sees('Reason to abort?')
    person.type('\r')
    await expect(second.call).rejects.toMatchObject({ code: -32950 })
    person.type('q')
    await person.exit
  })

  test('answers nothing with pasted text, and sees skipped calls again', async () => {
    const person = await openApprovals()
    const [one, two] = [await agentTypes('left'), await agentTypes('right')]
    await person.sees('2 waiting')
    person.type('as it says')
    await person.sees('Nothing was done')
    person.type('n')
    await person.sees('text: "right"')
    person.type('n')
    await person.sees('text: "left"')
    for (const { id, call } of [one, two]) {
      expect((await signalbox('approvals', 'deny', id)).code).toBe(0)
      await expect(call).rejects.toThrow()
    }
    person.type('\x03')
    expect(await person.exit).toBe(0)
  })

  test('sees all arguments, which cannot draw on the terminal', async () => {
    const person = await openApprovals({ cols: 60, rows: 16 })
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const { call, id } = await agentTypes(`${lines.join('\n')}\n\x1b[2J\u202egpj.exe`)
    await person.sees('line 1')
    await person.sees('more lines')
    expect(person.screen.text()).not.toContain('line 29')
    person.type('\x1b[6~')
    person.type('\x1b[6~')
    person.type('\x1b[6~')
    await person.sees('line 29')
    await person.sees('\\u001b[2J\\u202egpj.exe')
    person.resize({ cols: 100, rows: 50 })
    await person.sees('line 0')
    await signalbox('approvals', 'deny', id)
    await expect(call).rejects.toThrow()
    person.type('q')
    await person.exit
  })

  test('sees arguments in full that a list cuts, before they answer', async () => {
    const text = `${'y'.repeat(20_000)} and then rm -rf /`
    const { call, id } = await agentTypes(text)
    const list = await signalbox('approvals', 'ls')
    expect(list.out).toMatch(/\{"text":"yyy.* and \d+ bytes more/)
    expect(list.out).not.toContain('rm -rf')
    expect((await signalbox('approvals', 'show', id)).out).toContain(JSON.stringify(text))
    const person = await openApprovals()
    await person.sees('text: "yyy')
    person.type('\x1b[6~'.repeat(30))
    await person.sees('and then rm -rf /')
    person.type('a')
    expect(await call).toMatchObject({ success: true })
    person.type('q')
    await person.exit
  })

  test('waits for a restarted hub, and answers a call from before the restart', async () => {
    await using own = await createTempHome()
    await using before = await startHubProcess({ home: own.path })
    const asked = await agentOf(before)
    const person = await openApprovals({ cols: 100, rows: 30 }, '', own.path)
    const { id } = await agentTypes('over the restart', { hub: before, agent: asked })
    await person.sees('over the restart')
    await before.end('SIGTERM')
    await person.sees('Trying again')
    await using after = await startHubProcess({ home: own.path })
    await person.sees(new RegExp(`1 waiting[^]*${id}`))
    await vi.waitFor(() => expect(person.screen.text()).not.toContain('Trying again'), {
      timeout: 60_000,
      interval: 25,
    })
    person.type('a')
    await person.sees(`${id} is approved`)
    const again = { url: after.url, token: asked.token }
    expect(await callTool(again, 'terminal_send_text', { text: 'over the restart' })).toMatchObject({ success: true })
    person.type('q')
    expect(await person.exit).toBe(0)
  })

  test('gets their terminal back after q and after SIGTERM', async () => {
    for (const end of [(person: Person) => person.type('q'), (person: Person) => person.signal('SIGTERM')]) {
      const person = await openApprovals({ cols: 80, rows: 24 }, 'earlier output')
      await person.sees('No call waits')
      end(person)
      await person.exit
      expect(person.screen.text()).toContain('earlier output')
      expect(person.output.lastIndexOf('\x1b[?25h')).toBeGreaterThan(person.output.lastIndexOf('\x1b[?25l'))
    }
  })
})

/** Starts a session and returns the endpoint with the token of its agent. */
async function agentOf({ url, token }: Endpoint): Promise<Endpoint> {
  const person = { url, token }
  await callTool(person, 'create_session', { name: 'fix', template: 'shell', command: 'cat', tools: ['send_text'] })
  const issued = await callTool(person, 'issue_token', { role: 'agent', session: 'fix' })
  return { url, token: String(issued['token']) }
}

async function agentTypes(
  text: string,
  at = { hub: hub as Endpoint, agent },
): Promise<{ call: Promise<unknown>; id: string }> {
  const call = callTool(at.agent, 'terminal_send_text', { text })
  call.catch(() => {})
  // The next test must not see this call.
  onTestFinished(async () => void (await callTool(at.hub, 'decide_approval', { id, decision: 'deny' }).catch(() => {})))
  const id = await vi.waitFor(
    async () => {
      const { approvals } = (await callTool(at.hub, 'list_approvals')) as unknown as { approvals: Approval[] }
      const found = approvals.find(({ arguments: { text: shown } }) => shown !== '' && text.startsWith(String(shown)))
      expect(found).toBeDefined()
      return String(found?.id)
    },
    { timeout: 60_000, interval: 25 },
  )
  return { call, id }
}

async function openApprovals(size = { cols: 100, rows: 30 }, before = '', at = home.path): Promise<Person> {
  const person = await personAt(['approvals'], { env: { SIGNALBOX_HOME: at }, size, before })
  onTestFinished(() => person.signal('SIGKILL'))
  await person.sees('signalbox approvals')
  return person
}

function signalbox(...words: string[]): Promise<CliOutcome> {
  return runInProcess(words, { env: { SIGNALBOX_HOME: home.path } })
}
