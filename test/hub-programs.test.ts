/**
 * The programs that the hub starts itself, in places that a confined agent has written. Each agent leaves a program
 * there that reads a secret of the person and writes beside it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { createRepository, git } from './fixtures/git-repository.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { startOwnHub } from './worlds/own-hub.ts'
import { users } from './worlds/ordinary-user.ts'
import { failureOf } from './worlds/session-hub.ts'

const confined = requiresAll('bwrap', 'socat', 'setpriv')
const wait = { for: 'exit' }
const none = { network: 'none' }

/** The home of a person, with a secret. */
async function createPerson() {
  const home = await createTempHome()
  const secret = join(home.path, 'secret')
  writeFileSync(secret, 'THE SECRET')
  const repository = createRepository(join(home.path, 'repository'))
  writeFileSync(join(repository, '.gitignore'), 'tools\n')
  git(repository, 'add', '.gitignore')
  git(repository, 'commit', '--quiet', '-m', 'tools')
  const pwned = join(home.path, 'pwned')
  const attack = `#!/bin/sh\necho "ran with $(cat ${secret} 2>/dev/null)"\necho 1 2>/dev/null >> ${pwned}\ntrue\n`
  return { ...home, repository, pwned, attack, isPwned: () => existsSync(pwned) }
}

type Person = Awaited<ReturnType<typeof createPerson>>

function startHub(person: Person, within: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startOwnHub({
    program: shippedHub,
    within,
    env: { HOME: person.path, SIGNALBOX_SANDBOX: 'preferred', ...env },
  })
}

async function save(hub: OwnHub, template: Readonly<Record<string, unknown>>): Promise<void> {
  await hub.call('save_template', { payload: template })
}

confined.describe.each(users)('as %s', (_, within) => {
  test('the tear-down of a worktree is confined like the sessions that worked in it', async () => {
    await using person = await createPerson()
    await using hub = await startHub(person, within)
    const agent = `mkdir tools; cat > tools/tidy <<'EOF'\n${person.attack}EOF\nchmod +x tools/tidy`
    await save(hub, { name: 'agent', command: agent, worktree_teardown: 'tools/tidy', sandbox: none })
    const worktree = { template: 'agent', working_dir: person.repository, worktree: true, wait }
    await hub.call('create_session', { name: 'tree', ...worktree })
    // A session without a sandbox does not make the files of the agent better.
    await hub.call('create_session', { name: 'tree', ...worktree, command: 'true', sandbox: 'off' })
    const { worktree: removed } = await hub.call('kill_session', { name: 'tree', remove: true })
    expect(removed).toMatchObject({ is: 'removed', output: 'ran with' })
    expect(person.isPwned()).toBe(false)
  })

  test('the set-up of a worktree is confined like its session, also on a branch that an agent made', async () => {
    await using person = await createPerson()
    git(person.repository, 'checkout', '--quiet', '-b', 'signalbox/next')
    writeFileSync(join(person.repository, 'set-up'), person.attack, { mode: 0o755 })
    git(person.repository, 'add', 'set-up')
    git(person.repository, 'commit', '--quiet', '-m', 'set-up')
    git(person.repository, 'checkout', '--quiet', 'main')
    await using hub = await startHub(person, within)
    const service = createServer((_request, response) => response.end('SERVED\n')).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port } = service.address() as { port: number }
    const get = 'curl -s --max-time 10 http://127.0.0.1'
    await save(hub, {
      name: 'agent',
      command: 'true',
      worktree_setup: `./set-up; ${get}:${port}/; ${get}:${hub.port}/mcp || echo no hub; false`,
      sandbox: { network: { allow: [`127.0.0.1:${port}`] } },
    })
    const worktree = { template: 'agent', working_dir: person.repository, worktree: true }
    const said = await failureOf(hub, 'create_session', { name: 'next', ...worktree })
    service.close()
    expect(said).toMatch(/ended with exit code 1: ran with \nSERVED\nno hub\n/)
    expect(person.isPwned()).toBe(false)
  })
})

confined.describe('where no sandbox can be made', () => {
  const userNamespace = ['unshare', '--user', '--map-root-user']
  const canUnshare = spawnSync('unshare', [...userNamespace.slice(1), 'true']).status === 0
  const limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'

  test.runIf(canUnshare)('a tear-down of confined sessions does not run, and the worktree stays', async () => {
    await using person = await createPerson()
    const mayConfine = join(person.path, 'may-confine')
    mkdirSync(mayConfine)
    const forbid = [...userNamespace, 'sh', '-c', limit].map((word) => `'${word}'`).join(' ')
    const start = `if [ -d ${mayConfine} ]; then exec "$0" "$@"; else exec ${forbid} "$0" "$@"; fi`
    await using hub = await startHub(person, ['sh', '-c', start])
    await save(hub, { name: 'agent', command: 'true', worktree_teardown: `echo 1 > ${person.pwned}`, sandbox: none })
    const spec = { name: 'tree', template: 'agent', working_dir: person.repository, worktree: true, wait }
    const { workspace_path: path } = (await hub.call('create_session', spec)) as unknown as Session
    spawnSync('rmdir', [mayConfine])
    await hub.restart('SIGTERM')
    const { worktree } = await hub.call('kill_session', { name: 'tree', remove: true })
    const why = expect.stringMatching(/^worktree_teardown of the template "agent" did not run, because it cannot be/)
    expect(worktree).toMatchObject({ is: 'kept', why })
    expect(existsSync(path)).toBe(true)
    expect(person.isPwned()).toBe(false)
  })
})
