/** Real agents in their sandboxes: they work as before, and a hostile prompt finds nothing. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { SessionMode } from '../../src/api/session.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import type { Agent } from './agents.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const modes: Readonly<Record<Agent['name'], readonly SessionMode[]>> = {
  claude: ['terminal', 'structured'],
  codex: ['both', 'structured'],
  gemini: ['terminal', 'structured'],
  opencode: ['both', 'structured'],
}

/** It starts opencode six times. */
const slow = { timeout: 600_000 }

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "hostile|allowed" } } }
  - ask: own_shell
    when: { properties: { command: { pattern: "asked" } } }
  - allow: ["terminal_*", "policy_*"]
`

/** Each line tries something that must fail, and reports what it got. */
function hostileScript(hub: AgentHub, { otherSession, port }: { otherSession: string; port: number }): string {
  return [
    `try() { name=$1; shift; if out=$("$@" 2>/dev/null) && [ -n "$out" ]; then echo "GOT $name: $out"; else echo "failed $name"; fi; }`,
    `try token cat ${hub.data}/token`,
    `try database cat ${hub.data}/signalbox.db`,
    `try journal cat ${hub.data}/sessions/${otherSession}/journal/*`,
    `try holder ls ${hub.data}/run/holders`,
    `try hub-socket ls ${hub.data}/run/hub.sock`,
    `try ssh-key cat ${hub.home}/.ssh/id_ed25519`,
    `try processes sh -c 'grep -lz ^MARK_OF_HUB_TOKEN= /proc/[0-9]*/environ'`,
    `try root cat /proc/1/root/${hub.data}/token`,
    `ln -sf ${hub.data}/token link; try link cat link`,
    `try setuid sh -c 'su -c id root </dev/null'`,
    // The write may succeed, in memory that ends with the session.
    `echo 1 > ${hub.home}/../outside; echo 1 > ${hub.home}/outside`,
    `try system sh -c 'echo 1 > /usr/outside && cat /usr/outside'`,
    `try port curl -s --max-time 5 http://127.0.0.1:${port}/`,
    `try port-by-proxy curl -s --fail --noproxy '' --max-time 5 http://127.0.0.1:${port}/`,
    `try host curl -s --fail --max-time 5 http://not-listed.example/`,
    'echo done > hostile-done.txt',
  ].join('\n')
}

for (const agent of agents) {
  describeWith(agent, () => {
    for (const mode of modes[agent.name]) {
      test(`${agent.name} in mode ${mode} works in a sandbox with a list of hosts, and a hostile prompt finds nothing`, async () => {
        await using hub = await startAgentHub(agent, {
          SIGNALBOX_SANDBOX: 'preferred',
          MARK_OF_HUB_TOKEN: 'of the hub',
        })
        mkdirSync(join(hub.home, '.ssh'))
        writeFileSync(join(hub.home, '.ssh/id_ed25519'), 'PRIVATE KEY')
        const sandbox = { ...shippedSandbox(agent), network: { allow: [new URL(hub.model.origin).host] } }
        const other = await hub.call('create_session', { name: 'other', command: 'cat', sandbox: { network: 'none' } })
        const server = createServer((_request, response) => response.end('SECRET SERVICE')).listen(0, '127.0.0.1')
        await once(server, 'listening')
        const { port } = server.address() as { port: number }
        try {
          await work(hub, agent, { mode, sandbox })
          await attack(hub, agent, { otherSession: String(other['id']), port })
        } finally {
          server.close()
        }
      })
    }

    test(`${agent.name} works in the sandbox of its template`, async () => {
      await using hub = await startAgentHub(agent, { SIGNALBOX_SANDBOX: 'preferred' })
      const mode = modes[agent.name][0]!
      await work(hub, agent, { mode })
      expect((await hub.session('agent')).confined).toMatchObject({ by: 'bubblewrap', network: 'all' })
    })

    test(`what ${agent.name} commits is in the repository of the person, also after it was resumed`, async () => {
      await using hub = await startAgentHub(agent, { SIGNALBOX_SANDBOX: 'required' })
      const git = (...args: readonly string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: hub.workspace }).toString()
      git('init', '-q', '-b', 'main')
      git('commit', '-q', '--allow-empty', '-m', 'one')
      const commit = async (name: string, before: string) => {
        const command = `${before} git -c user.name=a -c user.email=a@b commit -q --allow-empty -m ${name} # allowed`
        const text = `${agent.askingCall(command)}\nFINAL did it`
        const done = await hub.call('prompt_session', { session: 'agent', text, timeout_ms: 120_000 })
        expect(done, JSON.stringify(done)).toMatchObject({ status: 'completed' })
        await until(() => git('log', '-1', '--format=%s').trim() === name)
      }
      const mode = modes[agent.name][0]!
      await hub.call('create_session', {
        name: 'agent',
        template: agent.name,
        working_dir: hub.workspace,
        policy,
        mode,
      })
      await commit('two', 'git switch -q -c work;')
      git('commit', '-q', '--allow-empty', '-m', 'three')
      await hub.call('kill_session', { name: 'agent' })
      git('commit', '-q', '--allow-empty', '-m', 'four')
      await hub.call('resume_session', { name: 'agent' })
      await commit('five', '')
      expect(git('log', '--format=%s').split('\n')).toEqual(['five', 'four', 'three', 'two', 'one', ''])
    })
  })
}

describeWith(
  agents.find(({ name }) => name === 'codex')!,
  () => {
    test('the sandbox of Codex itself works inside the one of its template', async () => {
      const codex = agents.find(({ name }) => name === 'codex')!
      await using hub = await startAgentHub(codex, { SIGNALBOX_SANDBOX: 'preferred' })
      const inner =
        'codex sandbox -c \'sandbox_mode="read-only"\' sh -c "echo inside; echo 1 > written || echo refused"'
      await hub.call('create_session', {
        name: 'nested',
        command: `${inner} > nested.txt 2>/dev/null; echo done > nested-done.txt`,
        working_dir: hub.workspace,
        sandbox: shippedSandbox(codex),
      })
      await until(() => existsSync(join(hub.workspace, 'nested-done.txt')))
      expect(readFileSync(join(hub.workspace, 'nested.txt'), 'utf8')).toBe('inside\nrefused\n')
      expect(existsSync(join(hub.workspace, 'written'))).toBe(false)
    })
  },
)

describeWith(
  agents.find(({ name }) => name === 'opencode')!,
  () => {
    test(
      'the plugins that an agent leaves for opencode reach nothing when the hub lists and imports conversations',
      slow,
      async () => {
        const opencode = agents.find(({ name }) => name === 'opencode')!
        await using hub = await startAgentHub(opencode, { SIGNALBOX_SANDBOX: 'required' })
        const { driver: _driver, mode: _mode, modes: _modes, ...template } = shippedTemplate(opencode)
        await hub.call('save_template', { payload: { ...template, name: 'plain' } })
        const settings = join(hub.home, '.config/opencode')
        const plugin = [
          "import { appendFileSync } from 'node:fs'",
          'const said = process.argv.slice(2).join(" ") + "\\n"',
          `for (const path of ['${hub.home}/pwned', '${settings}/ran']) try { appendFileSync(path, said) } catch {}`,
          'export const Left = async () => ({})',
        ].join('\n')
        for (const folder of [settings, join(hub.workspace, '.opencode')]) {
          mkdirSync(join(folder, 'plugin'), { recursive: true })
          writeFileSync(join(folder, 'plugin/left.js'), plugin)
        }
        await hub.call('create_session', { name: 'agent', template: 'plain', working_dir: hub.workspace })
        await until(async () => opencode.ready.test(await hub.screen('agent')))
        await hub.call('prompt_session', { session: 'agent', text: 'FINAL hello', timeout_ms: 120_000 })
        await hub.call('kill_session', { name: 'agent' })
        await hub.call('resume_session', { name: 'agent' })
        const text = JSON.stringify([{ role: 'user', content: 'hello' }])
        const { thread_id: thread } = await hub.call('import_thread', { text, format: 'openai-chat' })
        await hub.call('switch_provider', { thread, to: 'opencode' })
        const ran = readFileSync(join(settings, 'ran'), 'utf8')
        for (const command of ['session list', 'debug config', 'import']) expect(ran).toContain(command)
        expect(existsSync(join(hub.home, 'pwned'))).toBe(false)
      },
    )
  },
)

function shippedTemplate({ name }: Agent): Readonly<Record<string, unknown>> {
  const file = readFileSync(new URL(`../../templates/${name}.json`, import.meta.url), 'utf8')
  return JSON.parse(file) as Readonly<Record<string, unknown>>
}

function shippedSandbox(agent: Agent): object {
  return shippedTemplate(agent)['sandbox'] as object
}

/** A prompt, a tool of the hub, an approval, its own shell. */
async function work(hub: AgentHub, agent: Agent, more: { mode: SessionMode; sandbox?: object }): Promise<void> {
  const made = (file: string) => existsSync(join(hub.workspace, file))
  const prompt = (text: string, extra = {}) => hub.call('prompt_session', { session: 'agent', text, ...extra })
  await hub.call('create_session', { name: 'agent', template: agent.name, working_dir: hub.workspace, policy, ...more })
  const first = await prompt(`${agent.askingCall('echo 1 > allowed.txt')}\nFINAL went on`)
  expect(first, JSON.stringify(first)).toMatchObject({ status: 'completed', answer: 'went on' })
  expect(made('allowed.txt')).toBe(true)

  await prompt(`${agent.askingCall('echo 1 > asked.txt')}\nFINAL was allowed`, { wait: false })
  const approval = await until(async () => {
    const open = await hub.call('list_approvals', { session: 'agent', status: 'pending' })
    return (open['approvals'] as Approval[])[0]
  })
  expect(made('asked.txt')).toBe(false)
  await hub.call('decide_approval', { id: approval.id, decision: 'approve' })
  await until(() => made('asked.txt'))
  await until(async () => (await hub.session('agent')).activity.is === 'idle')
}

async function attack(hub: AgentHub, agent: Agent, about: { otherSession: string; port: number }): Promise<void> {
  writeFileSync(join(hub.workspace, 'hostile.sh'), hostileScript(hub, about))
  const text = `${agent.askingCall('bash hostile.sh > hostile.txt 2>&1')}\nFINAL tried`
  const tried = await hub.call('prompt_session', { session: 'agent', text, timeout_ms: 120_000 })
  expect(tried, JSON.stringify(tried)).toMatchObject({ status: 'completed' })
  await until(() => existsSync(join(hub.workspace, 'hostile-done.txt')))
  const report = readFileSync(join(hub.workspace, 'hostile.txt'), 'utf8')
  expect(report.split('\n').filter((line) => line.startsWith('GOT'))).toEqual([])
  expect(report.match(/^failed /gm)?.length).toBe(14)
  for (const folder of [hub.home, join(hub.home, '..')]) expect(existsSync(join(folder, 'outside'))).toBe(false)
  const { events } = await hub.call('query_events', { session: 'agent', type: 'network-decided' })
  const refused = (events as { payload: { host: string; allowed: boolean } }[]).filter(
    ({ payload }) => !payload.allowed,
  )
  expect(refused.map(({ payload }) => payload.host)).toEqual(
    expect.arrayContaining(['127.0.0.1', 'not-listed.example']),
  )
}
