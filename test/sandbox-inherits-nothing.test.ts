/** What a program could keep of the person's login in a sandbox, although no path leads to it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { hubUsers } from './worlds/hub-users.ts'
import { type OwnHub, patience, startOwnHub } from './worlds/own-hub.ts'

const { describe } = requiresAll('bwrap', 'perl')

/** Calls of the kernel by their numbers, which no installed program makes. */
const keys = fileURLToPath(new URL('fixtures/session-keyring.pl', import.meta.url))

describe.each(hubUsers())('a confined program under a hub of $who', ({ within }) => {
  let home: TempHome
  let hub: OwnHub
  beforeAll(async () => {
    home = await createTempHome()
    hub = await startOwnHub({
      program: shippedHub,
      within: [...within, 'perl', keys, 'start'],
      env: { HOME: home.path, SIGNALBOX_SANDBOX: 'preferred' },
    })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  async function saidBy(name: string, line: string, sandbox: object | 'off', more: object = {}): Promise<string> {
    const command = `{ ${line}; } > said 2>&1; echo 1 > done; cat`
    const { workspace_path: workspace } = await hub.call('create_session', { name, command, sandbox, ...more })
    await expect.poll(() => existsSync(join(String(workspace), 'done')), patience).toBe(true)
    return readFileSync(join(String(workspace), 'said'), 'utf8')
  }

  test('does not read the session keyring of the login, also in a sandbox of its own', async () => {
    expect(await saidBy('open', `perl ${keys} read`, 'off')).toContain('READ canary')
    const script = join(home.path, 'keys.pl')
    writeFileSync(script, readFileSync(keys))
    const read = `perl ${script} read`
    const refused = /^(\S+: Operation not permitted\n){3,}$/
    expect(await saidBy('closed', read, { read: [script], network: 'none' })).toMatch(refused)
    const nested = { read: [script], network: 'none', nested: true }
    const inner = 'bwrap --ro-bind / / --unshare-user'
    expect(await saidBy('nested', `${inner} ${read}`, nested)).toMatch(refused)
  })

  test('does not mount the control group of the hub in a sandbox of its own', async () => {
    const kinds = ['-t cgroup2', ...['pids', 'memory', 'freezer', 'devices'].map((each) => `-t cgroup -o ${each}`)]
    const ways = ['--cgroup', ''].flatMap((namespace) =>
      kinds.map(
        (kind) => `unshare --user --map-root-user --mount ${namespace} mount ${kind} none /tmp && echo MOUNTED`,
      ),
    )
    const line = `unshare --user --map-root-user --mount mount -t tmpfs none /tmp && echo nested; ${ways.join('; ')}; true`
    const said = await saidBy('groups', line, { network: 'none', nested: true })
    expect(said).toMatch(/^nested$/m)
    expect(said).not.toContain('MOUNTED')
  })

  test('is put into its sandbox by programs that load nothing its environment names', async () => {
    // With these, each program writes which libraries it loads, and from where.
    const output = join(home.path, 'loaded')
    const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: output }
    const said = await saidBy('loader', 'echo "$LD_DEBUG $LD_DEBUG_OUTPUT"', { network: 'none' }, { env })
    expect(said).toBe(`files ${output}\n`)
    expect(readdirSync(home.path).filter((name) => name.startsWith('loaded'))).toEqual([])
  })
})
