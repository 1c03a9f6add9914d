/** The database is lost while the programs run. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { runInProcess } from '../fixtures/run-cli.ts'
import type { HubProcess } from '../worlds/hub-process.ts'
import { startHubProcess } from '../worlds/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import type { TempHome } from '../harness/temp-home.ts'
import { createTempHome } from '../harness/temp-home.ts'

const names = ['one', 'two', 'three']

let home: TempHome
let hub: HubProcess
beforeEach(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

const signalbox = (...words: readonly string[]) =>
  runInProcess(words, { env: { HOME: home.path, PATH: '/usr/bin:/bin', SIGNALBOX_HOME: home.path } })

async function listSessions(): Promise<readonly Session[]> {
  const { sessions } = await callTool(hub, 'list_sessions')
  return sessions as readonly Session[]
}

test(
  'programs that outlive the database become sessions of the next hub and can be typed into',
  { timeout: 120_000 },
  async () => {
    for (const name of names) {
      await callTool(hub, 'create_session', {
        name,
        command: `echo I am ${name}; while read -r line; do echo "$line?"; done`,
      })
    }
    const before = await listSessions()
    expect((await signalbox('doctor')).out).toContain('✓ sessions: 3 programs run')
    await hub.end('SIGKILL')
    for (const file of ['hub.db', 'hub.db-wal', 'hub.db-shm']) rmSync(join(home.path, file), { force: true })
    const doctor = await signalbox('doctor')
    expect(doctor).toMatchObject({ code: 6 })
    expect(doctor.out).toMatch(
      /✗ sessions: 3 programs run without a record at the hub: .*\n {4}fix: start or restart the hub/,
    )
    for (const { id } of before) expect(doctor.out).toContain(id)

    hub = await startHubProcess({ home: home.path })
    const found = await listSessions()
    const identities = ({ id, pid, status, workspace_path }: Session) => ({ id, pid, status, workspace_path })
    const byId = (one: Session, other: Session) => one.id.localeCompare(other.id)
    expect(found.toSorted(byId).map(identities)).toEqual(before.toSorted(byId).map(identities))
    expect(found.every(({ name, description }) => /^found-\w{6}$/.test(name) && /lost/.test(description ?? ''))).toBe(
      true,
    )
    expect((await signalbox('ls', '--all')).out).toContain(found[0]!.name)
    expect((await signalbox('doctor')).out).toContain('✓ sessions: 3 programs run')

    const second = found.find(({ id }) => id === before.find(({ name }) => name === 'two')!.id)!
    await callTool(hub, 'send_input', { name: second.name, text: 'still there' })
    const wait = { name: second.name, for: 'text', value: 'still there?' }
    expect(await callTool(hub, 'wait_session', wait)).toMatchObject({
      met: true,
      screen: expect.stringContaining('I am two'),
    })
  },
)
