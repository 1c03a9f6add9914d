/**
 * Git outside of sandboxes, where a confined agent works: the person's own git, and what the hub runs. The agent has tried
 * to make it run a program, follow a link or read what is hidden.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { createRepository } from './fixtures/git-repository.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import { hubUsers } from './worlds/hub-users.ts'
import { startOwnHub } from './worlds/own-hub.ts'
import { failureOf } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'git', 'setpriv')
const none = { network: 'none' }
const nobody = 65_534
const patience = { timeout: 60_000, interval: 100 }
const mark = 'THE SECRET'

describe.each(hubUsers())('as $who', ({ within }) => {
  async function open() {
    const home = await createTempHome()
    const at = (path: string) => join(home.path, path)
    const repository = createRepository(at('repository'))
    mkdirSync(at('.ssh'))
    writeFileSync(at('.ssh/id'), mark)
    writeFileSync(at('.bashrc'), 'before\n')
    // A program that the agent names. It runs outside only if the mark is there afterwards.
    const ran = at('ran')
    writeFileSync(at('run'), `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 })
    const hub = await startOwnHub({
      program: shippedHub,
      within,
      env: { HOME: home.path, SIGNALBOX_SANDBOX: 'required' },
    })
    const uid = within.length === 0 ? undefined : nobody
    /** As the person. */
    const git = (directory: string, ...args: readonly string[]) =>
      execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        env: { PATH: process.env['PATH'], HOME: home.path },
        encoding: 'utf8',
        ...(uid !== undefined && { uid, gid: uid }),
      })
    let count = 0
    /** Runs lines in a sandbox, to their end. */
    async function agent(lines: string, more: object = {}): Promise<Session> {
      const name = `agent-${++count}`
      const given = { name, command: 'sh', args: ['-c', lines], working_dir: repository, sandbox: none, ...more }
      return (await hub.call('create_session', { ...given, wait: { for: 'exit' } })) as unknown as Session
    }
    return {
      at,
      repository,
      hub,
      agent,
      git,
      isPwned: () => existsSync(ran),
      async [Symbol.asyncDispose]() {
        await hub[Symbol.asyncDispose]()
        await home[Symbol.asyncDispose]()
      },
    }
  }
  const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty'

  test('settings that a person has replaced outside stay protected', async () => {
    await using world = await open()
    const { repository, agent, git, isPwned } = world
    const waits = 'touch here; until [ -e go ]; do sleep 0.05; done'
    const attack = `${waits}; git config core.fsmonitor '${world.at('run')}'; git config core.hooksPath ../; ${commit} -m two; rm go`
    const running = agent(attack)
    await expect.poll(() => existsSync(join(repository, 'here')), patience).toBe(true)
    git(repository, 'config', 'user.nickname', 'me')
    writeFileSync(join(repository, 'go'), '')
    await running
    await expect.poll(() => git(repository, 'log', '--format=%s'), patience).toContain('two')
    git(repository, 'status')
    expect(git(repository, 'config', '--list', '--local')).not.toContain('fsmonitor')
    expect(isPwned()).toBe(false)
  })

  test('the person follows no link, and reads no branch that is a command', async () => {
    await using world = await open()
    const { repository, agent, git, at } = world
    await agent(`rm -rf .git/logs; mkdir .git/logs; ln -s ${at('.bashrc')} .git/logs/HEAD
      git branch 'x;touch\${IFS}pwned'; ${commit} -m two; ln -s ${at('.ssh')} .git/refs/heads/link; ln -s ${at('.ssh')} .git/objects/aa`)
    git(repository, 'checkout', '-q', '-b', 'next')
    expect(readFileSync(at('.bashrc'), 'utf8')).toBe('before\n')
    expect(git(repository, 'branch', '--list')).not.toContain('touch')
  })

  test('no repository of an agent decides what runs when the hub makes a worktree', async () => {
    await using world = await open()
    const { repository, agent, isPwned, at, hub } = world
    const made = join(repository, 'made')
    await agent(`git init -q made; cd made; echo '* filter=evil' > .gitattributes; echo 1 > file; git add .; ${commit} -m one
      git config filter.evil.smudge '${at('run')}'; git config filter.evil.required true; git config core.hooksPath "$PWD/hooks"
      mkdir hooks; cp ${at('run')} hooks/post-checkout 2>/dev/null || printf '#!/bin/sh\\ntouch ${at('ran')}\\n' > hooks/post-checkout
      chmod +x hooks/*; cp hooks/* .git/hooks/; git config core.fsmonitor '${at('run')}'`)
    const spec = { name: 'tree', command: 'true', working_dir: made, worktree: true, sandbox: none }
    await hub.call('create_session', spec).catch(() => {})
    expect(isPwned()).toBe(false)
    rmSync(join(made, '.git/worktrees'), { recursive: true, force: true })
  })

  test('no alternate and no linked ref shows a hidden repository to the next session', async () => {
    await using world = await open()
    const { repository, agent, git, at, hub } = world
    const hidden = at('hidden')
    git(at('.'), 'init', '-q', hidden)
    writeFileSync(join(hidden, 'secret.txt'), mark)
    git(hidden, 'add', '.')
    git(hidden, 'commit', '-q', '-m', 'hidden')
    await agent(`git init -q made; cd made; ${commit} -m one; echo ${hidden}/.git/objects > .git/objects/info/alternates
      rm -f .git/refs/heads/*; ln -s ${hidden}/.git/refs/heads/main .git/refs/heads/main; ln -s ${hidden}/.git/refs/heads/master .git/refs/heads/master`)
    const spec = { name: 'tree', working_dir: join(repository, 'made'), worktree: true, sandbox: none }
    const script = { command: 'sh', args: ['-c', 'cat secret.txt > found; git show HEAD:secret.txt >> found'] }
    await hub.call('create_session', { ...spec, ...script, wait: { for: 'exit' } }).catch(() => {})
    const found = join(hub.home, 'workspaces/tree/found')
    expect(existsSync(found) ? readFileSync(found, 'utf8') : '').not.toContain(mark)
  })

  test('a folder named worktrees is no repository', async () => {
    await using world = await open()
    const { agent, at } = world
    const inner = at('worktrees/x')
    mkdirSync(inner, { recursive: true })
    await agent(
      `echo "gitdir: ${inner}" > .git 2>/dev/null || { rm -rf .git; echo "gitdir: ${inner}" > .git; }; echo ${inner}/.git > gitdir; echo ref: refs/heads/main > HEAD; echo ../.. > commondir`,
      {
        working_dir: inner,
      },
    )
    const { last_message: said } = await agent(
      `cat ${at('.ssh/id')} > read; echo pwned >> ${at('.bashrc')}; ls -A ${at('.')} > seen`,
      { working_dir: inner },
    )
    expect(existsSync(join(inner, 'read')) ? readFileSync(join(inner, 'read'), 'utf8') : '', said ?? '').not.toContain(
      mark,
    )
    expect(readFileSync(at('.bashrc'), 'utf8')).toBe('before\n')
  })

  test('a bare repository is no workspace, and a workspace that an agent makes one is none for git', async () => {
    await using world = await open()
    const { repository, agent, git, at, hub, isPwned } = world
    git(at('.'), 'clone', '-q', '--bare', repository, at('bare.git'))
    const bare = { name: 'bare', command: 'true', working_dir: at('bare.git'), sandbox: none }
    expect(await failureOf(hub, 'create_session', bare)).toContain('is a bare git repository')
    await agent(
      `rm -f .git/HEAD; git init -q --bare . 2>/dev/null; git --git-dir=. config core.fsmonitor '${at('run')}'; git --git-dir=. config core.worktree .`,
    )
    git(repository, 'status')
    expect(isPwned()).toBe(false)
    const tree = { name: 'tree', command: 'true', working_dir: repository, worktree: true, sandbox: none }
    await hub.call('create_session', { ...tree, wait: { for: 'exit' } })
    expect(isPwned()).toBe(false)
  })

  test('git of the hub, which lists the changes of a workspace, sees nothing else', async () => {
    await using world = await open()
    const { agent, at, hub } = world
    mkdirSync(at('plain'))
    const { name } = await agent(`git init -q sub; ${commit} -m one; ln -s ${at('.ssh')} link; echo 1 > file`, {
      working_dir: at('plain'),
    })
    symlinkSync(at('.ssh'), at('plain/other'))
    const changes = JSON.stringify(await hub.call('read_changes', { session: name }).catch(String))
    expect(changes).not.toContain(mark)
  })
})
