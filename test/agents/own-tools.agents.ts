/**
 * Makes the table of docs/guides/own-tools.md with real agents: the effect of the policy on their own shell, in each
 * mode, and with the hub away.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { SessionMode } from '../../src/api/session.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import type { Agent } from './agents.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const page = fileURLToPath(new URL('../../docs/guides/own-tools.md', import.meta.url))
const modes: Readonly<Record<Agent['name'], readonly SessionMode[]>> = {
  claude: ['terminal', 'structured'],
  codex: ['both', 'structured'],
  gemini: ['terminal', 'structured'],
  opencode: ['both', 'structured'],
}
const labels = { claude: 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI', opencode: 'opencode' } as const

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "allowed" } } }
  - deny: own_shell
    when: { properties: { command: { pattern: "denied" } } }
  - ask: own_shell
    when: { properties: { command: { pattern: "asked" } } }
`

interface Row {
  readonly agent: string
  readonly mode: SessionMode
  readonly allow: string
  readonly deny: string
  readonly ask: string
  readonly away: string
  readonly governed: string
}

const rows: Row[] = []

for (const agent of agents) {
  describeWith(agent, () => {
    for (const mode of modes[agent.name]) {
      test(`${agent.name} in mode ${mode} runs its own shell as the policy says`, async () => {
        await using hub = await startAgentHub(agent)
        rows.push(await rowOf(hub, agent, mode))
      })
    }
  })
}

async function rowOf(hub: AgentHub, agent: Agent, mode: SessionMode): Promise<Row> {
  const name = 'agent'
  const made = (file: string) => existsSync(join(hub.workspace, file))
  const run = (file: string) => agent.askingCall(`echo 1 > ${file}`)
  const prompt = (text: string, more = {}) => hub.call('prompt_session', { session: name, text, ...more })
  const pending = async () =>
    (await hub.call('list_approvals', { session: name, status: 'pending' }))['approvals'] as Approval[]
  await hub.call('create_session', { name, template: agent.name, mode, working_dir: hub.workspace, policy })

  const first = await prompt(`${run('allowed.txt')}\nFINAL went on`)
  expect(first, JSON.stringify(first)).toMatchObject({ status: 'completed', answer: 'went on' })
  const allow = made('allowed.txt') ? 'runs' : 'does not run'
  const { governed } = await hub.session(name)

  await prompt(`${run('denied.txt')}\nFINAL did without`)
  const deny = made('denied.txt') ? 'runs' : 'refused'

  await prompt(`${run('asked.txt')}\nFINAL was allowed`, { wait: false })
  const [approval] = await until(async () => {
    const open = await pending()
    return open.length > 0 && open
  })
  const ranEarly = made('asked.txt')
  await hub.call('decide_approval', { id: approval!.id, decision: 'approve' })
  await until(() => made('asked.txt'))
  await until(async () => (await hub.session(name)).activity.is === 'idle')
  const ask = ranEarly ? 'runs' : 'waits for a person'

  // The call comes while the hub is away.
  const before = hub.model.asked.length
  const late = await prompt(`SLOW 3000\n${run('allowed-late.txt')}\nFINAL came late`, { wait: false })
  expect(late, JSON.stringify(late)).toMatchObject({ status: 'working' })
  await until(() => hub.model.asked.length > before)
  let wasRefused = false
  await hub.whileAway(async () => {
    // Either the agent reports a refusal to the model, or it waits. It has had the time to run the command.
    const hasResult = () => (hub.model.asked.at(-1)?.results.length ?? 0) > 0
    await Promise.race([until(hasResult), setTimeout(20_000)])
    wasRefused = hasResult()
    expect(made('allowed-late.txt')).toBe(false)
  })
  if (!wasRefused) await until(() => made('allowed-late.txt'))
  const away = wasRefused ? 'refused' : 'waits for the next hub'
  return { agent: labels[agent.name], mode, allow, deny, ask, away, governed: governed?.is ?? '–' }
}

afterAll(() => {
  const all = Object.values(modes).flat().length
  // Some agents are not installed, or some tests were not selected.
  if (rows.length < all) return
  const table = toTable(rows)
  if (process.env['WRITE_DOCS'])
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(tablePattern, () => table),
    )
  expect(tablePattern.exec(readFileSync(page, 'utf8'))?.[0], 'WRITE_DOCS=1 writes the table').toBe(table)
})

const heads = ['agent', 'mode', 'allow', 'deny', 'ask', 'while the hub is away', 'governed']
const tablePattern = /\| agent +\| mode [\s\S]*?\n(?=\n|$)/

function toTable(found: readonly Row[]): string {
  const cells = found.map((row) => [row.agent, `\`${row.mode}\``, row.allow, row.deny, row.ask, row.away, row.governed])
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]!.length)))
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |\n`
  return line(heads) + line(widths.map((width) => '-'.repeat(width))) + cells.map(line).join('')
}
