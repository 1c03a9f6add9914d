/** The current hub with a data directory of an earlier release, and with holders which that release started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { Session } from '../src/api/session.ts'
import { shellLine } from './worlds/held-program.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import { patience } from './worlds/own-hub.ts'
import { readAllOutput } from './soak/read-all-output.ts'

const release = join(import.meta.dirname, 'fixtures/release-0.1')
const agentToken = readFileSync(join(release, 'agent-token'), 'utf8').trim()

const lastLine = 30_000
const numbered = Array.from({ length: lastLine }, (_, index) => `line ${index + 1}\r\n`).join('')
/** Counts, then answers each line until the line is "end". */
const counter = `stty -echo; seq -f 'line %.0f' 1 ${lastLine}; while read -r line && [ "$line" != end ]; do echo "<$line>"; done`

test('the next release adopts the sessions, approvals, tokens and policies of release 0.1', async () => {
  await using home = await createTempHome()
  const sessions = copyData(home.path)
  await startOldHolder(home.path, sessions.get('counter')!, counter)
  await startOldHolder(home.path, sessions.get('agent')!, 'stty -echo; while read -r line; do echo "<$line>"; done')
  await using hub = await startHubProcess({ home: home.path, env: { SIGNALBOX_EVENTS_MAX_AGE_DAYS: '100000' } })
  const person = { url: `${hub.url}?toolsets=all`, token: readFileSync(join(release, 'data/token'), 'utf8').trim() }
  const agent = { url: hub.url, token: agentToken }
  const call = (tool: string, args: object = {}) => callTool(person, tool, { ...args })
  const screen = async (session: string) => JSON.stringify(await call('read_screen', { session }))

  const { sessions: listed } = (await call('list_sessions')) as unknown as { sessions: Session[] }
  expect(listed.map(({ name, status, terminal }) => [name, status, terminal?.size.cols])).toEqual([
    ['agent', 'running', 80],
    ['counter', 'running', 80],
    ['finished', 'failed', 120],
  ])

  await call('send_text', { session: 'counter', text: 'one\n' })
  await expect.poll(() => screen('counter'), patience).toContain('<one>')
  await call('send_text', { session: 'counter', text: 'end\n' })
  expect((await readAllOutput(person, 'counter')).bytes.toString()).toBe(`${numbered}<one>\r\n`)
  const finished = Array.from({ length: 2_000 }, (_, index) => `${index + 1}\r\n`).join('')
  expect((await readAllOutput(person, 'finished')).bytes.toString()).toBe(finished)

  const { approvals } = (await call('list_approvals')) as unknown as { approvals: Approval[] }
  expect(approvals).toMatchObject([{ session: 'agent', tool: 'terminal_send_text', status: 'pending' }])
  await call('decide_approval', { id: approvals[0]!.id, decision: 'approve' })
  await callTool(agent, 'terminal_send_text', approvals[0]!.arguments)
  await callTool(agent, 'terminal_send_text', { text: 'granted' })
  await call('send_text', { session: 'agent', text: '\n' })
  await expect.poll(() => screen('agent'), patience).toContain('<approvedgranted>')

  await expect(callTool(agent, 'terminal_send_keys', { keys: 'enter' })).rejects.toThrow('Keys are for people.')
  expect(await call('list_connectors')).toMatchObject({ connectors: [{ name: 'notes', cmd: 'notes-server' }] })
  expect(await call('list_bindings', { session: 'counter' })).toMatchObject({ bindings: [{ connector: 'notes' }] })
  expect(await call('list_templates')).toMatchObject({
    templates: expect.arrayContaining([expect.objectContaining({ name: 'greeter', label: 'Greeter' })]),
  })
  const { events } = await call('query_events', { type: 'approval-requested' })
  expect(events).toHaveLength(2)

  await call('resize', { session: 'agent', cols: 100, rows: 30 })
  await expect
    .poll(() => call('get_session', { name: 'agent' }), patience)
    .toMatchObject({ size: { cols: 100, rows: 30 } })
  await call('kill_session', { name: 'agent' })
  expect(await call('get_session', { name: 'agent' })).toMatchObject({ status: 'stopped' })
})

/** Copies the data that the killed hub left. Returns the ids of its sessions by name. */
function copyData(home: string): ReadonlyMap<string, string> {
  cpSync(join(release, 'data'), home, { recursive: true })
  using database = new DatabaseSync(join(home, 'hub.db'))
  // Approvals expire after an hour, and the fixture is older than that.
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  database.prepare(`update approvals set expires_at = ? where status = 'pending'`).run(inAnHour)
  const rows = database.prepare('select id, name from sessions').all() as { id: string; name: string }[]
  return new Map(rows.map(({ id, name }) => [name, id]))
}

/** Starts a holder of that release. It runs until its program ends, or until the test disposes of the hub. */
async function startOldHolder(home: string, session: string, command: string): Promise<void> {
  const directory = join(home, 'sessions', session)
  const sockets = join(home, 'run/holders')
  for (const path of [directory, sockets]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const holder = spawn(process.execPath, [join(release, 'holder/holder.mjs')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
  const journal = { segmentBytes: 64 * 1024, maxBytes: 64 * 1024 * 1024 }
  const program = shellLine(command)
  holder.stdin.end(
    JSON.stringify({ version: '0.1.0', socket: join(sockets, `${session}.sock`), directory, journal, program }),
  )
  const [ready] = (await once(holder.stdout, 'data')) as [Buffer]
  expect(JSON.parse(ready.toString())).toMatchObject({ protocol: 1, version: '0.1.0' })
  holder.stdout.destroy()
  holder.unref()
}
