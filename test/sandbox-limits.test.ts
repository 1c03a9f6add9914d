/** How much of the machine a confined program can use up. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { bundled } from './harness/bundle.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { hubUsers } from './worlds/hub-users.ts'
import { type OwnHub, patience, startOwnHub } from './worlds/own-hub.ts'

const { describe } = requiresAll('bwrap', 'perl')

const most = 4_096
/** Ends by itself: at the limit, or a little above it. */
const forks = `perl -e 'my @all; while (@all < ${most + 400}) { my $one = fork; last if !defined $one; if (!$one) { sleep 600; exit } push @all, $one } print scalar @all, "\\n"; kill KILL => @all'`

describe.each(hubUsers())('a confined program under a hub of $who', ({ within }) => {
  let home: TempHome
  let hub: OwnHub
  beforeAll(async () => {
    home = await createTempHome()
    const env = { HOME: home.path, TMPDIR: join(home.path, 'temporary'), SIGNALBOX_SANDBOX: 'preferred' }
    hub = await startOwnHub({ program: shippedHub, within, env })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  async function run(name: string, line: string): Promise<{ said: string; session: Session }> {
    const command = `{ ${line}; } > said 2>&1; echo 1 > done; cat`
    const session = (await hub.call('create_session', { name, command, sandbox: { network: 'none' } })) as unknown
    const { workspace_path: workspace } = session as Session
    await expect.poll(() => existsSync(join(workspace, 'done')), patience).toBe(true)
    return { said: readFileSync(join(workspace, 'said'), 'utf8'), session: session as Session }
  }

  test('starts no more processes than its limit, or says that it has none', async () => {
    const { said, session } = await run('bomb', forks)
    expect(Number(said)).toBeGreaterThan(most / 8)
    expect(Number(said) > most).toBe(session.confined?.unlimited?.includes('processes') ?? false)
  })

  test('fills its directories in memory only to a part of the memory', async () => {
    const places = '/tmp /var/tmp /run /dev/shm ~ "$TMPDIR"'
    const writing = 'touch /dev/made; touch /dev/shm/made && echo shared'
    const { said } = await run('places', `df -B1 --output=size ${places}; ${writing}`)
    const sizes = said.match(/^ *\d+$/gm)!.map(Number)
    expect(sizes).toHaveLength(6)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(totalmem() * 0.8)
    expect(said).toMatch(/cannot touch '\/dev\/made'[^]*shared/)
  })

  test('has a limit of memory, or says that it has none', async () => {
    const { session } = await run('memory', 'true')
    const limit = memoryLimitOf(session.pid!)
    const isUnlimited = session.confined?.unlimited?.includes('memory') ?? false
    expect(limit < totalmem()).toBe(!isUnlimited)
    const [file, ...args] = [...within, process.execPath, bundled('signalbox'), 'ls']
    const out = execFileSync(file, args, {
      env: { ...process.env, HOME: home.path, SIGNALBOX_HOME: hub.home },
      encoding: 'utf8',
    })
    expect(out.includes('no limit of memory')).toBe(isUnlimited)
  })
})

/** Infinity: no control group limits it. */
function memoryLimitOf(pid: number): number {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
  const v1 = /:memory:(.*)/.exec(groups)?.[1]
  const v2 = /^0::(.*)/m.exec(groups)?.[1]
  const files = [`/sys/fs/cgroup/memory${v1}/memory.limit_in_bytes`, `/sys/fs/cgroup${v2}/memory.max`]
  const file = files.find((each) => existsSync(each))
  return Number(file === undefined ? Infinity : readFileSync(file, 'utf8').replace('max', 'Infinity'))
}
