/**
 * Confined sessions, in real sandboxes: the files that they see, the hosts that they reach, and that they work like
 * other sessions.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { once } from 'node:events'
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { failureOf, screenOf, sessionOf, start, startSessionHub } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'socat', 'ssh-agent')

const patience = { timeout: 120_000, interval: 50 }
const none = { network: 'none' }

describe('a confined session', () => {
  let home: TempHome
  let hub: OwnHub
  let service: Server
  let servicePort: number
  let listedPort: number
  let sshPort: number
  let greeted = ''
  const sshServer = createTcpServer((client) => {
    client.on('error', () => {})
    client.once('data', (bytes) => {
      greeted = bytes.toString('latin1')
      client.end()
    })
  })
  beforeAll(async () => {
    home = await createTempHome()
    await mkdir(join(home.path, '.ssh'), { mode: 0o700 })
    await writeFile(join(home.path, '.ssh/id_ed25519'), 'PRIVATE KEY')
    await writeFile(join(home.path, 'notes.txt'), 'my notes')
    await mkdir(join(home.path, 'cache'))
    service = createServer((request, response) => response.end(`SERVED ${request.method} ${request.url}\n`))
    servicePort = await listen(service)
    listedPort = await listen(service2)
    sshPort = await listen(sshServer)
    hub = await startSessionHub({ HOME: home.path, SIGNALBOX_SANDBOX: 'preferred', HUB_MARK_TOKEN: 'of the hub' })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    service.close()
    service2.close()
    sshServer.close()
    await home[Symbol.asyncDispose]()
  })
  const service2 = createServer((_request, response) => response.end('LISTED\n'))

  let count = 0
  /** Runs a script in a sandbox to its end. Returns its output and its session. */
  async function run(
    script: string,
    sandbox: object = none,
    more: object = {},
  ): Promise<{ out: string; session: Session }> {
    const name = `run-${++count}`
    const workspace = join(home.path, 'work', name)
    await mkdir(workspace, { recursive: true })
    await writeFile(join(workspace, 'script.sh'), script)
    const command = 'bash script.sh > out.txt 2>&1; echo 1 > done'
    const { id } = await start(hub, name, command, { sandbox, working_dir: workspace, ...more })
    await expect.poll(() => existsSync(join(workspace, 'done')), patience).toBe(true)
    return { out: await readFile(join(workspace, 'out.txt'), 'utf8'), session: await sessionOf(hub, id) }
  }

  test('says by what it is confined, and another says nothing', async () => {
    const { session } = await run('true')
    expect(session.confined).toMatchObject({ by: 'bubblewrap', network: 'none' })
    expect((await run('true', undefined, { sandbox: 'off' })).session.confined).toBeUndefined()
  })

  test('sees its workspace and the paths it names, and nothing else of the home', async () => {
    const sandbox = { write: ['~/cache', '~/made/'], read: ['~/notes.txt', '~/missing'], ...none }
    const { out } = await run(
      [
        'ls -A ~',
        'cat ~/notes.txt; echo',
        'echo 1 > ~/cache/kept && echo 1 > ~/made/kept && echo wrote',
        'echo 2 > ~/notes.txt || echo cannot write notes',
        'echo 1 > ~/lost; echo 1 > /usr/lost || echo cannot write usr; echo 1 > /lost || echo cannot write root',
      ].join('\n'),
      sandbox,
    )
    expect(out).toMatch(/^cache\nmade\nnotes\.txt\nwork$/m)
    expect(out).toMatch(/^my notes$/m)
    expect(out).toMatch(/^wrote$/m)
    for (const place of ['notes', 'usr', 'root']) expect(out).toContain(`cannot write ${place}`)
    expect(existsSync(join(home.path, 'cache/kept')) && existsSync(join(home.path, 'made/kept'))).toBe(true)
    expect(existsSync(join(home.path, 'lost'))).toBe(false)
  })

  test('finds no token, no journal, no key, no socket, no other process, and gains no rights', async () => {
    const other = await start(hub, 'other', 'echo CONFIDENTIAL; cat', { sandbox: none })
    const got = (name: string, command: string) =>
      `out=$({ ${command}; } 2>/dev/null) && [ -n "$out" ] && echo "GOT ${name}: $out"`
    const { out } = await run(
      [
        got('token', `cat ${hub.home}/token`),
        got('database', `cat ${hub.home}/hub.db`),
        got('data directory', `ls -A ${hub.home}`),
        got('journal', `cat ${hub.home}/sessions/${other.id}/journal/*`),
        got('workspace of another', `ls ${hub.home}/workspaces/other`),
        got('holder', `ls ${hub.home}/run/holders`),
        got('key', 'cat ~/.ssh/id_ed25519'),
        got('link', `ln -s ${hub.home}/token link; cat link`),
        got('environment', "grep -lz '^HUB_MARK_TOKEN=' /proc/[0-9]*/environ"),
        got('other process', 'ps ax -o args | grep "[s]ignalbox.mjs"'),
        got('root of init', `cat /proc/1/root${hub.home}/token /proc/1/cwd${hub.home}/token`),
        got('shadow', 'cat /etc/shadow'),
        got('capabilities', "grep '^CapEff' /proc/self/status | grep -v 0000000000000000"),
        got('setuid', `cp /bin/cat rooted; chmod u+s rooted; ./rooted ${hub.home}/token`),
        got('new rights', "grep '^NoNewPrivs' /proc/self/status | grep -v 1"),
        got('sandbox in it', 'unshare --user --map-root-user echo inside'),
        got('mount', 'mount -t tmpfs none /tmp && echo mounted'),
        // Only asked, never written: it is a setting of the whole machine.
        got('kernel', '[ -w /proc/sys/kernel/core_pattern ] && echo writable'),
        got('trigger', '[ -w /proc/sysrq-trigger ] && echo writable'),
        'echo ALL TRIED',
      ].join('\n'),
    )
    expect(out.trim()).toBe('ALL TRIED')
  })

  test('reaches the hub and no other port of the machine, with every network except "all"', async () => {
    const script = [
      'curl -s -o /dev/null -w "hub %{http_code}\\n" "$SIGNALBOX_URL"',
      `curl -s --max-time 5 http://127.0.0.1:${servicePort}/ || echo no service`,
      `curl -s --max-time 5 --noproxy "" http://127.0.0.1:${servicePort}/`,
      'curl -s -o /dev/null -w "by socket %{http_code}\\n" --unix-socket "$SIGNALBOX_HUB_SOCKET" http://localhost/mcp',
    ].join('\n')
    const alone = (await run(script)).out
    expect(alone).toBe('hub 401\nno service\nby socket 401\n')
    const listed = (await run(script, { network: { allow: ['example.com'] } })).out
    expect(listed).toMatch(/^hub 401\nno service\nSignalbox: 127\.0\.0\.1:\d+ is not on the list .*\nby socket 401\n$/)
    expect((await run(script, { network: 'all' })).out).toMatch(
      /^hub 401\nSERVED GET \/\nSERVED GET \/\nby socket 401\n$/,
    )
  })

  test('reaches the hosts of its list, gets 403 with the reason for others, and both are recorded', async () => {
    const forged = JSON.stringify({ host: 'forged.example', port: 443, listed: true, proof: '' })
    const { out, session } = await run(
      [
        `curl -s http://127.0.0.1:${listedPort}/`,
        `curl -s --noproxy "" http://127.0.0.1:${listedPort}/`,
        'curl -s -o /dev/null -w "%{http_code}\\n" http://off.example/',
        'curl -s -o /dev/null -w "%{http_connect}\\n" https://off.example/',
        // With its own token it cannot report a decision that no one made.
        `curl -s -o /dev/null -w "%{http_code}\\n" -H "Authorization: Bearer $SIGNALBOX_TOKEN" -d '${forged}' "\${SIGNALBOX_URL%/mcp}/hooks/network"`,
      ].join('\n'),
      { network: { allow: [`127.0.0.1:${listedPort}`] } },
    )
    expect(out).toBe('LISTED\nLISTED\n403\n403\n403\n')
    const { events } = await hub.call('query_events', { session: session.id, type: 'network-decided' })
    const decided = (events as { payload: { host: string; port: number; allowed: boolean } }[]).map(
      ({ payload }) => payload,
    )
    expect(decided).toContainEqual({ host: '127.0.0.1', port: listedPort, allowed: true })
    expect(decided).toContainEqual(expect.objectContaining({ host: 'off.example', port: 443, allowed: false }))
    expect(decided).not.toContainEqual(expect.objectContaining({ host: 'forged.example' }))
  })

  test('reaches a host that a rule allows or a person approves, who is asked once', async () => {
    const policy = `rules:
      - allow: own_network
        when: { properties: { port: { const: ${servicePort} } } }
      - deny: own_network
        when: { properties: { port: { const: ${listedPort} } } }
        reason: not this one
      - ask: own_network
        when: { properties: { host: { const: localhost } } }`
    const curl = 'curl -s --noproxy ""'
    const running = run(
      [
        `${curl} http://127.0.0.1:${servicePort}/ruled`,
        `${curl} http://127.0.0.1:${listedPort}/`,
        `for each in 1 2 3; do ${curl} http://localhost:${listedPort}/; done`,
      ].join('\n'),
      { network: { allow: [`127.0.0.1:${listedPort}`] } },
      {
        policy: policy.replace(
          '{ port: { const: ' + listedPort,
          '{ host: { const: 127.0.0.1 }, port: { const: ' + listedPort,
        ),
      },
    )
    let answered = 0
    const pending = async () =>
      (await hub.call('list_approvals', { status: 'pending' }))['approvals'] as { id: string }[]
    const finished = running.then(() => true)
    while (!(await Promise.race([finished, new Promise<false>((resolve) => setTimeout(() => resolve(false), 100))]))) {
      for (const { id } of await pending()) {
        answered++
        await hub.call('decide_approval', { id, decision: 'approve' })
      }
    }
    const { out } = await running
    expect(out).toContain('SERVED GET /ruled\n')
    expect(out).toContain('not this one')
    expect(out.match(/^LISTED$/gm)?.length).toBe(3)
    expect(answered).toBe(1)
  })

  test('has a whole terminal: it resizes, Ctrl-C ends a command, and jobs are controlled', async () => {
    const { id } = (await hub.call('create_session', {
      name: 'terminal',
      command: 'bash',
      args: ['--norc', '-i'],
      sandbox: none,
    })) as unknown as Session
    const type = (text: string) => hub.call('send_input', { name: id, text, force: true })
    const shows = (pattern: RegExp) => expect.poll(() => screenOf(hub, id), patience).toMatch(pattern)
    await type('echo $((20+22)); stty size')
    await shows(/^42\n40 120$/m)
    await hub.call('resize', { session: id, cols: 90, rows: 25 })
    await type('stty size')
    await shows(/^25 90$/m)
    await expect.poll(() => hub.call('is_shell_idle', { session: id }), patience).toMatchObject({ idle: true })
    await type('sleep 1000')
    await expect.poll(() => hub.call('is_shell_idle', { session: id }), patience).toMatchObject({ idle: false })
    await hub.call('send_keys', { session: id, keys: 'Ctrl+c' })
    await expect.poll(() => hub.call('is_shell_idle', { session: id }), patience).toMatchObject({ idle: true })
    await type('sleep 1001')
    await expect.poll(() => hub.call('is_shell_idle', { session: id }), patience).toMatchObject({ idle: false })
    await hub.call('send_keys', { session: id, keys: 'Ctrl+z' })
    await type('jobs')
    await shows(/Stopped +sleep 1001/)
    await type('exit; exit')
    await expect.poll(async () => (await sessionOf(hub, id)).status, patience).toBe('completed')
  })

  test('uses a toolchain in the home that it names', async () => {
    const tool = join(home.path, 'tools')
    await mkdir(join(tool, 'bin'), { recursive: true })
    await writeFile(join(tool, 'library.sh'), 'echo $((6 * 7))')
    await writeFile(join(tool, 'bin/answer'), '#!/bin/sh\n. "$(dirname "$0")/../library.sh"\n', { mode: 0o755 })
    const script = 'PATH=~/tools/bin:$PATH; answer; touch ~/tools/new || echo read-only'
    expect((await run(script, { read: ['~/tools'], ...none })).out).toMatch(/^42\ntouch: .*\nread-only\n$/)
    expect((await run(script)).out).toMatch(/answer: command not found/)
  })

  test('signs with a key of the ssh agent whose socket it names, without reading the key', async () => {
    const { key, socket, stop } = startSshAgent(home.path)
    try {
      const sandbox = { read: ['$SSH_AUTH_SOCK', '~/agent/key.pub'], network: { allow: [`localhost:${sshPort}`] } }
      const script = [
        'echo text | ssh-keygen -q -Y sign -f ~/agent/key.pub -n test | head -1',
        `cat ${key} 2>/dev/null && echo GOT THE KEY`,
        // It is not a real server: it is enough that ssh reaches it.
        `eval "timeout 60 $GIT_SSH_COMMAND -p ${sshPort} localhost" 2>/dev/null`,
        'eval "timeout 60 $GIT_SSH_COMMAND -p 22 off.example" 2>/dev/null',
      ].join('\n')
      const { out, session } = await run(script, sandbox, { env: { SSH_AUTH_SOCK: socket } })
      expect(out).toBe('-----BEGIN SSH SIGNATURE-----\n')
      expect(greeted).toContain('SSH-2.0-OpenSSH')
      const { events } = await hub.call('query_events', { session: session.id, type: 'network-decided' })
      const refused = expect.objectContaining({ host: 'off.example', port: 22, allowed: false })
      expect(events).toContainEqual(expect.objectContaining({ payload: refused }))
    } finally {
      stop()
    }
  })

  test('makes sandboxes inside its own only if it may, and finds nothing more in them', async () => {
    const inner = 'bwrap --ro-bind / / --dev /dev --unshare-user --unshare-pid --tmpfs /tmp --chdir /'
    const script = [
      `${inner} sh -c 'echo inside; touch /usr/x ~/x 2>/dev/null || echo read-only; cat ${hub.home}/token ~/.ssh/id_ed25519'`,
      // As root of its own user namespace it can mount, but it cannot take away what covers the home.
      `unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /tmp && echo mounted; umount -l ~ /usr /etc; mount -o remount,bind,rw /usr; touch /usr/x; cat ${hub.home}/token ~/.ssh/id_ed25519'`,
    ].join('\n')
    expect((await run(`{ ${script}; } 2>/dev/null`, { ...none, nested: true })).out).toBe(
      'inside\nread-only\nmounted\n',
    )
    expect((await run(`{ ${script}; } 2>/dev/null`)).out).toBe('')
  })

  test('ends with its exit code, and gets the signals by which it is asked to end', async () => {
    const script = `trap 'echo SAVED > saved; exit 0' TERM HUP; echo 1 > ready; while :; do sleep 0.1; done`
    const { id } = await start(hub, 'trap', script, { sandbox: none })
    const { workspace_path: workspace } = await sessionOf(hub, id)
    await expect.poll(() => existsSync(join(workspace, 'ready')), patience).toBe(true)
    await hub.call('kill_session', { name: id })
    expect(await readFile(join(workspace, 'saved'), 'utf8')).toBe('SAVED\n')
    const failing = await start(hub, 'failing', 'exit 7', { sandbox: none })
    await expect.poll(async () => (await sessionOf(hub, failing.id)).exit_code, patience).toBe(7)
  })

  test('outlives a killed hub, reaches its list meanwhile, and is adopted', async () => {
    const { id } = await start(hub, 'lasting', 'bash --norc -i', {
      sandbox: { network: { allow: [`127.0.0.1:${listedPort}`] } },
    })
    const type = (text: string) => hub.call('send_input', { name: id, text, force: true })
    const { workspace_path: workspace } = await sessionOf(hub, id)
    const script = [
      `while [ ! -e go ]; do sleep 0.1; done; curl -s http://127.0.0.1:${listedPort}/ > listed; curl -s --noproxy "" http://127.0.0.1:${servicePort}/ > unlisted`,
      'touch tried; while [ ! -e again ]; do sleep 0.1; done; curl -s -o /dev/null -w "%{http_code}" $SIGNALBOX_URL > hub; touch finished',
    ].join('; ')
    await type(script)
    await hub.end('SIGKILL')
    await writeFile(join(workspace, 'go'), '')
    await expect.poll(() => existsSync(join(workspace, 'tried')), patience).toBe(true)
    expect(await readFile(join(workspace, 'listed'), 'utf8')).toBe('LISTED\n')
    expect(await readFile(join(workspace, 'unlisted'), 'utf8')).toContain('the hub is not there to ask')
    await hub.restart('SIGKILL')
    await writeFile(join(workspace, 'again'), '')
    await expect.poll(() => existsSync(join(workspace, 'finished')), patience).toBe(true)
    expect(await readFile(join(workspace, 'hub'), 'utf8')).toBe('401')
    expect(await sessionOf(hub, id)).toMatchObject({ status: 'running', confined: { by: 'bubblewrap' } })
    await type('echo still $((40+2))')
    await expect.poll(() => screenOf(hub, id), patience).toMatch(/^still 42$/m)
    await hub.call('kill_session', { name: id })
  })

  test('works in a git worktree', async () => {
    const repository = join(home.path, 'repository')
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
    await mkdir(repository)
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
    const { id } = await start(
      hub,
      'tree',
      'touch new; git add new; git -c user.name=a -c user.email=a@b commit -qm second && echo 1 > done; ls -A ~ > home',
      { working_dir: repository, worktree: true, sandbox: none },
    )
    const { workspace_path: workspace } = await sessionOf(hub, id)
    await expect.poll(() => existsSync(join(workspace, 'done')), patience).toBe(true)
    await expect.poll(() => git('log', '--all', '--format=%s').toString(), patience).toContain('second')
    await rm(join(workspace, 'done'))
  })

  test('commits, but does not change what git runs outside the sandbox', async () => {
    const attack = (git: string) =>
      [
        'rm -f tried; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && echo 1 > committed',
        `echo evil > ${git}/hooks/post-checkout; rm -rf ${git}/hooks; mkdir -p ${git}/hooks; echo evil > ${git}/hooks/pre-commit`,
        `git config core.fsmonitor evil; echo evil >> ${git}/config; rm -f ${git}/config; mv ${git}/config ${git}/other`,
        `for each in ${git}/worktrees/*/commondir; do echo "$PWD/evil" > $each; done; mv ${git}/worktrees ${git}/trees`,
        `mkdir -p ${git}/modules/sub; echo evil > ${git}/modules/sub/config`,
        `mv ${git} ${git}-old; mv .git old; rm -f .git; echo "gitdir: $PWD/evil" > .git; mkdir .git`,
        'echo ALL TRIED > tried',
      ].join('\n')
    // Without a template, the repository has no folder for hooks.
    for (const template of [[], ['--template=']]) {
      const repository = join(home.path, `guarded-${template.length}`)
      await mkdir(repository)
      const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' })
      git('init', '-q', ...template)
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
      git('worktree', 'add', '-q', join(home.path, `beside-${template.length}`))
      await mkdir(join(repository, '.git/modules/sub'), { recursive: true })
      const config = await readFile(join(repository, '.git/config'), 'utf8')
      const hooks = () =>
        existsSync(join(repository, '.git/hooks')) ? readdirSync(join(repository, '.git/hooks')) : []
      const hooksBefore = hooks()
      for (const worktree of [false, true]) {
        const name = `guarded-${template.length}-${worktree}`
        const common = worktree ? '"$(git rev-parse --git-common-dir)"' : '.git'
        const { id } = await start(hub, name, attack(common), { working_dir: repository, worktree, sandbox: none })
        const { workspace_path: workspace } = await sessionOf(hub, id)
        await expect.poll(() => existsSync(join(workspace, 'tried')), patience).toBe(true)
        expect(existsSync(join(workspace, 'committed'))).toBe(true)
        expect(await readFile(join(repository, '.git/config'), 'utf8')).toBe(config)
        expect(hooks()).toEqual(hooksBefore)
        expect(readdirSync(join(repository, '.git/modules/sub'))).toEqual([])
        for (const each of readdirSync(join(repository, '.git/worktrees'))) {
          expect(await readFile(join(repository, '.git/worktrees', each, 'commondir'), 'utf8')).toBe('../..\n')
        }
        if (worktree) expect(await readFile(join(workspace, '.git'), 'utf8')).toContain(`${repository}/.git/worktrees/`)
      }
    }
  })

  test('is shown nothing more by a script, a link or a git directory that an earlier agent has left', async () => {
    const token = join(hub.home, 'token')
    const left = join(home.path, 'left')
    const program = async (name: string, text: string) => {
      await writeFile(join(left, name), text, { mode: 0o700 })
      const { id } = await start(hub, name, `./${name}`, { args: [], working_dir: left, sandbox: none })
      await expect.poll(async () => (await sessionOf(hub, id)).status, patience).not.toBe('running')
    }
    await mkdir(left)
    const script = `cat ${token} ~/.ssh/id_ed25519 > got 2>/dev/null; ls ~ > seen\n`
    await program('unset', `#!/usr/bin/env -S --unset ../../../../../..${token} sh\n${script}`)
    expect(await readFile(join(left, 'seen'), 'utf8')).toBe('left\n')
    await program('direct', `#!${join(home.path, '.ssh/id_ed25519')}\n${script}`)
    expect(await readFile(join(left, 'got'), 'utf8')).toBe('')

    await symlink('../../.ssh/id_ed25519', join(left, '.git/config'))
    await program('config', `#!/bin/sh\ncat .git/config > got 2>/dev/null; git init -q; git config --list > got\n`)
    expect(await readFile(join(left, 'got'), 'utf8')).not.toContain('PRIVATE')
    await rm(join(left, '.git'), { recursive: true })
    await symlink('../.ssh', join(left, '.git'))
    const linked = { name: 'linked', command: 'true', working_dir: left, sandbox: none }
    expect(await failureOf(hub, 'create_session', linked)).toContain('.git is a link')
  })

  test('is refused where its sandbox would show what it must hide', async () => {
    const refused = (more: object) =>
      failureOf(hub, 'create_session', { name: 'refused', command: 'true', sandbox: none, ...more })
    expect(await refused({ working_dir: home.path })).toContain('holds your home')
    expect(await refused({ working_dir: '/' })).toContain('holds your home')
    expect(await refused({ working_dir: join(hub.home, 'sessions') })).toContain('is in the data directory of the hub')
    expect(await refused({ sandbox: { read: [join(hub.home, 'token')], ...none } })).toContain(
      'which no confined session may see',
    )
    expect(await refused({ sandbox: { read: ['notes.txt'], ...none } })).toContain('write an absolute path')
    expect(await refused({ sandbox: { network: { allow: ['https://example.com'] } } })).toContain('without https://')
    expect(await refused({ sandbox: {} })).toContain('"none"')
  })

  test('hides the data directory even where a path that it names contains it', async () => {
    const { out } = await run(`ls -A ${hub.home}; cat ${hub.home}/token`, { read: [join(hub.home, '..')], ...none })
    expect(out).toMatch(/^(run\n)?cat: .*No such file/)
    await symlink(join(hub.home, '..'), join(home.path, 'above'))
    const aliased = { name: 'above', command: 'true', sandbox: { read: ['~/above'], ...none } }
    expect(await failureOf(hub, 'create_session', aliased)).toContain('which holds your home')
  })
})

/** With one key, which is in `~/agent`. */
function startSshAgent(home: string): { key: string; socket: string; stop: () => void } {
  const key = join(home, 'agent/key')
  const socket = join(home, 'agent/socket')
  mkdirSync(join(home, 'agent'), { mode: 0o700 })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
  execFileSync('sh', ['-c', `until ssh-add -q ${key} 2>/dev/null; do sleep 0.05; done`], {
    env: { ...process.env, SSH_AUTH_SOCK: socket },
  })
  return { key, socket, stop: () => void agent.kill() }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}
