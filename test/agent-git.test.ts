/** The git directory of a confined session, in real sandboxes: what comes back to the person, and what does not. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../src/base/log.ts'
import { createRedactor } from '../src/base/redact.ts'
import { createAgentGit, createScriptRunner, repositoryFor } from '../src/git/git.ts'
import { change } from '../src/git/scripts.ts'
import { bubblewrap } from '../src/sandbox/bubblewrap.ts'
import type { Mount } from '../src/sandbox/mounts.ts'
import type { ReachSpec } from '../src/sandbox/reach.ts'
import { probe } from '../src/sandbox/probe.ts'
import { reachOf } from '../src/sandbox/reach.ts'
import { isRoot, systemMounts } from '../src/sandbox/system.ts'
import { createSessionGits } from '../src/sessions/session-git.ts'
import type { SessionRecord } from '../src/sessions/session-store.ts'
import { requiresAll } from './harness/requires.ts'

const patience = { timeout: 60_000, interval: 50 }
const { describe } = requiresAll('bwrap', 'git')
const notes = mkdtempSync(join(tmpdir(), 'agent-git-'))
afterAll(() => rmSync(notes, { recursive: true }))
const found = probe(notes)
async function available() {
  const here = await found
  if (here.is === 'missing') throw new Error(here.reason)
  return here
}
const run = createScriptRunner({ reach: async (spec: ReachSpec) => reachOf(spec, await available()) })
const identity = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'A',
}
const env = { PATH: '/usr/bin:/bin', ...identity, GIT_COMMITTER_EMAIL: 'a@b', HOME: '/nonexistent' }

let home: string
let work: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'agent-git-')))
  work = join(home, 'work')
  mkdirSync(work)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function person(line: string, directory = work): string {
  return execFileSync('/bin/sh', ['-ec', line], { cwd: directory, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** Runs lines in a sandbox. */
async function agentIn(workspace: string, more: readonly Mount[]) {
  const mounts: readonly Mount[] = [
    ...systemMounts({ needsNames: false }),
    { is: 'write', path: workspace, source: workspace },
    ...more,
  ]
  const { tools, limits } = await available()
  const isolation = { tools, limits, mounts, hasOwnNetwork: true, nested: false, isRoot: isRoot() }
  const programOf = (line: string) =>
    bubblewrap({ file: '/bin/sh', args: ['-ec', line], cwd: workspace, env }, isolation)
  /** Resolves when the lines have ended. */
  const start = (line: string): Promise<unknown> => {
    const { file, args } = programOf(line)
    return once(spawn(file, args, { env, stdio: 'ignore' }), 'exit')
  }
  const agent = (line: string): string => {
    const program = programOf(line)
    const { status, stdout, stderr } = spawnSync(program.file, program.args, { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${stdout}${stderr}`)
    return stdout.trim()
  }
  return Object.assign(agent, { start })
}

/** A repository with a commit, a session in it, and what its agent can do. */
async function session(workspace = work, beforeScript = (_script: string) => {}) {
  const directory = mkdtempSync(join(home, 'session-'))
  const repository = await repositoryFor(workspace, run)
  if (repository.is !== 'repository') throw new Error(repository.reason)
  /** Before the hub notes what both have. */
  let meanwhile: string | undefined
  const interrupted: typeof run = async (script, spec) => {
    const lines = spec.write.join() === join(directory, 'both') ? meanwhile : undefined
    meanwhile = lines === undefined ? meanwhile : undefined
    if (lines !== undefined) agent(lines)
    beforeScript(script)
    return await run(script, spec)
  }
  const git = createAgentGit({ session: 'fix', workspace, repository, directory, run: interrupted })
  const agent = await agentIn(workspace, await git.make())
  return {
    copy: join(directory, 'copy'),
    agent,
    start: (line: string) => agent.start(line),
    exchange: () => git.exchange(),
    exchangeWhile: (lines: string) => {
      meanwhile = lines
      return git.exchange()
    },
  }
}

function repository(directory = work): void {
  person('git init -q -b main; echo one >a; git add a; git commit -qm one', directory)
}

describe('the hub and the git directories of its sessions', () => {
  async function open() {
    let message: string | undefined
    const starts = { count: 0 }
    const gits = createSessionGits({
      run: (script, spec) => {
        starts.count++
        return run(script, spec)
      },
      registry: {
        change: async (_id, change) => {
          const record = { lastMessage: message } as SessionRecord
          message = change(record)?.lastMessage ?? message
          return { ...record, lastMessage: message }
        },
      },
      directory: join(home, 'sessions'),
      log: createLog({ level: 'error', redactor: createRedactor() }),
    })
    const record = { id: 's1', name: 'fix', workspacePath: work }
    return {
      gits,
      record,
      starts,
      message: () => message,
      begin: async () => agentIn(work, (await gits.make(record)).mounts),
    }
  }

  test('what an agent has committed while there was no hub comes back before the session starts again', async () => {
    repository()
    const { begin } = await open()
    const agent = await begin()
    agent('git commit -q --allow-empty -m late; echo 2 >a; git stash -q')
    const again = await begin()
    expect(person('git log -1 --format=%s; git for-each-ref refs/signalbox | wc -l')).toBe('late\n1')
    expect(again('git log -1 --format=%s')).toBe('late')
  })

  test('what one side does is soon on the other, and a session in which nothing happens starts no program', async () => {
    repository()
    person('git branch fix/one')
    const { gits, record, begin, starts } = await open()
    const agent = await begin()
    gits.follow(record)
    await gits.exchange(record.id)
    agent('git tag v1')
    await vi.waitUntil(() => person('git tag') === 'v1', patience)
    agent('git branch fix/two')
    await vi.waitUntil(() => person('git branch --list fix/two') !== '', patience)
    person('git branch new/three; git branch new/deep/four')
    await vi.waitUntil(() => agent('git branch --list "new/*" | wc -l') === '2', patience)
    person('git tag v2; git branch -D new/deep/four')
    await vi.waitUntil(() => agent('git tag; git branch --list "new/*"') === 'v1\nv2\n  new/three', patience)
    const reads = 'git status; git log; git diff; git branch'
    // git notes in the index what it has found in the files.
    for (const side of [agent, person]) side(reads)
    // Until the hub has seen its own changes.
    let before = -1
    const isQuiet = () => before === (before = starts.count)
    await vi.waitUntil(isQuiet, { ...patience, interval: 2_000 })
    for (const side of [agent, person]) side(reads)
    await sleep(1_000)
    expect(starts.count).toBe(before)
    await gits.end(record.id)
  })

  test('the hub tries again when a lock is gone that was in its way', async () => {
    repository()
    const { gits, record, begin, message } = await open()
    const agent = await begin()
    gits.follow(record)
    await gits.exchange(record.id)
    agent('touch .git/index.lock')
    person('echo 2 >b; git add b')
    await vi.waitUntil(() => message()?.includes('index.lock'), patience)
    agent('rm .git/index.lock')
    await vi.waitUntil(() => agent('git diff --cached --name-only') === 'b', patience)
    await gits.end(record.id)
  })
})

describe('the git directory of a session', () => {
  test('commits, branches, tags and HEAD of an agent come back, and what a person does reaches the agent', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(
      'echo two >b; git add b; git commit -qm two; git tag v1; git switch -qc feature/x; echo three >a; git commit -qam three',
    )
    expect(await meet()).toEqual([])
    expect(person('git log --format=%s; git branch --show-current; git tag; git status --porcelain')).toBe(
      'three\ntwo\none\nfeature/x\nv1',
    )
    expect(person('git log -1 --format=%s main; git fsck --no-dangling')).toBe('two')
    person('echo four >c; git add c; git commit -qm four; git branch mine; git switch -q main')
    expect(await meet()).toEqual([])
    expect(agent('git log -1 --format=%s mine; git branch --show-current; git status --porcelain')).toBe('four\nmain')
    agent('git switch -q feature/x; git commit -q --amend -m 4; git rebase -q --onto main~1 feature/x~1')
    expect(await meet()).toEqual([])
    expect(person('git log --format=%s; git status --porcelain; git fsck --no-dangling')).toBe('4\none')
    expect(await meet()).toEqual([])
  })

  test('what both add to the index meets there, and different versions of one file stay apart', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent('echo 1 >"with \\"quotes\\" and\ntwo lines"; git add .')
    person('echo 2 >c; git add c')
    expect(await meet()).toEqual([])
    const both = 'A  c\nA  with "quotes" and\ntwo lines'
    expect(person('git status --porcelain -z | tr "\\0" "\\n"')).toBe(both)
    expect(agent('git status --porcelain -z | tr "\\0" "\\n"')).toBe(both)
    agent('echo 3 >a; git add a; git rm -q --cached c')
    expect(await meet()).toEqual([])
    expect(person('git diff --cached --name-status')).toMatch(/^M\ta\nA\t"with/)
    agent('echo 4 >a; git add a')
    person('echo 5 >a; git add a')
    expect(await meet()).toEqual([expect.stringContaining('different versions')])
    expect(person('git show :a')).toBe('5')
    expect(agent('git show :a')).toBe('4')
  })

  test('an agent may go on while its work comes back', async () => {
    repository()
    const { agent, exchange: meet, exchangeWhile } = await session()
    agent('echo 2 >b; git add b; git commit -qm two; echo 3 >c; git add c; git switch -qc next')
    expect(
      await exchangeWhile(
        'echo 4 >c; git add c; git commit -qm three; git branch -q -f main; git switch -q main; git commit -q --amend -m four; echo 5 >c; git add c',
      ),
    ).toEqual([])
    expect(await meet()).toEqual([])
    expect(person('git log --format=%s; git branch --show-current; git status --porcelain; git show :c')).toBe(
      'four\ntwo\none\nmain\nM  c\n5',
    )
    expect(await meet()).toEqual([])
  })

  test('a branch that a person deletes goes on both sides, and one that an agent deletes stays', async () => {
    repository()
    person('git branch theirs; git branch own; git pack-refs --all; git tag v1; git tag v2')
    const { agent, exchange: meet } = await session()
    person('git branch -qD theirs; git tag -d v1')
    agent('git branch -qD own; git tag -d v2')
    expect(await meet()).toEqual([])
    expect(agent('git for-each-ref --format="%(refname:short)"')).toBe('main')
    expect(person('git for-each-ref --format="%(refname:short)"')).toBe('main\nown\nv2')
    person('git branch theirs')
    agent('git branch own; git branch -f own $(git commit-tree -m new HEAD^{tree})')
    expect(await meet()).toEqual([])
    expect(person('git log -1 --format=%s own')).toBe('new')
    expect(agent('git branch --list theirs')).toBe('theirs')
  })

  test('what both have done alike is nothing that stays apart later', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    for (const side of [agent, person]) side('echo 2 >b; git add b; git branch both')
    expect(await meet()).toEqual([])
    agent('echo 3 >b; git add b; git branch -f both $(git commit-tree -m new HEAD^{tree})')
    expect(await meet()).toEqual([])
    expect(person('git show :b; git log -1 --format=%s both')).toBe('3\nnew')
  })

  test('changes that an agent has stashed are kept, each of them', async () => {
    repository()
    person('echo old >a; git stash -q; echo mine >a')
    const { agent, exchange: meet } = await session()
    agent('git stash -q; echo 2 >a; git stash -q')
    const said = await meet()
    expect(said).toEqual(Array(2).fill(expect.stringContaining('Its agent has stashed changes.')))
    const kept = said.map((each) => /refs\/signalbox\/fix\/stash\/[0-9a-f]+/.exec(each)?.[0])
    expect(kept.map((ref) => person(`git show ${ref}:a`)).toSorted()).toEqual(['2', 'mine'])
    expect(person(`git stash list | wc -l; git stash apply -q ${kept[0]}; git status --porcelain`)).toBe('1\n M a')
    agent('git checkout -q a; git stash pop -q; git stash drop -q')
    expect(await meet()).toEqual([])
  })

  test('a branch that has moved on both sides stays on each, and a merge comes when it is finished', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent('git switch -qc other; echo A >a; git commit -qam A; git switch -q main')
    expect(await meet()).toEqual([])
    agent('echo B >a; git commit -qam B; git merge other || true')
    expect(await meet()).toEqual([expect.stringContaining('in the middle of a command of git (MERGE_HEAD)')])
    expect(person('git log -1 --format=%s')).toBe('one')
    agent('echo C >a; git add a; git commit -qm merged')
    expect(await meet()).toEqual([])
    expect(person('git log -1 --format=%s; git status --porcelain')).toBe('merged')
    agent('git commit -q --allow-empty -m agent')
    person('git commit -q --allow-empty -m person')
    expect(await meet()).toEqual([expect.stringContaining('main has moved on both sides')])
    expect(person('git log -1 --format=%s')).toBe('person')
    expect(person('git merge -q -m both refs/signalbox/fix/heads/main; git log --format=%s -1')).toBe('both')
    expect(await meet()).toEqual([])
    expect(agent('git log -1 --format=%s; git status --porcelain')).toBe('both')
  })

  test('a merge that a person left to the agent is finished for both', async () => {
    repository()
    person('git switch -qc other; echo A >a; git commit -qam A; git switch -q main; echo B >a; git commit -qam B')
    person('git merge other || true')
    const { agent, exchange: meet } = await session()
    expect(agent('git status')).toContain('Unmerged paths')
    agent('echo C >a; git commit -qam merged')
    expect(await meet()).toEqual([])
    expect(person('git log -1 --format="%s %p" | wc -w; git status --porcelain; git status')).toMatch(
      /^3\nOn branch main\nnothing/,
    )
  })

  test('a worktree has its own HEAD and index, and the branches of other worktrees stay', async () => {
    const main = join(home, 'main')
    mkdirSync(main)
    repository(main)
    rmSync(work, { recursive: true })
    person(`git worktree add -q ${work}; git worktree add -q -b third ../third`, main)
    const { agent, exchange: meet } = await session()
    expect(agent('git branch --show-current; git status --porcelain')).toBe('work')
    agent(
      'echo two >b; git add b; git commit -qm two; git update-ref refs/heads/main HEAD; git update-ref refs/heads/third HEAD',
    )
    expect(await meet()).toEqual([
      expect.stringContaining(`main is checked out in ${main}`),
      expect.stringContaining('third is checked out in'),
    ])
    expect(person('git log -1 --format=%s; git status --porcelain')).toBe('two')
    expect(person('git log -1 --format=%s; git status --porcelain', main)).toBe('one')
  })

  test('a repository that the agent makes is made for the person, with settings of the person', async () => {
    const { agent, exchange: meet } = await session()
    expect(await meet()).toEqual([])
    expect(spawnSync('git', ['status'], { cwd: work, env }).status).toBe(128)
    agent(
      'git init -q -b trunk; git config core.fsmonitor "touch ../pwned"; echo 1 >a; git add a; git commit -qm first; rm -f [0-9]*',
    )
    expect(await meet()).toEqual([])
    expect(person('git log --format=%s; git branch --show-current; git status --porcelain')).toBe('first\ntrunk')
    expect(person('git config --local --list')).not.toContain('pwned')
    person('echo 2 >b; git add b; git commit -qm second')
    expect(await meet()).toEqual([])
    expect(agent('git log --format=%s; git status --porcelain -uno')).toBe('second\nfirst')
  })

  test('a submodule that an agent adds stays apart, because git outside would read its settings', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(`git init -q evil; git -C evil commit -q --allow-empty -m e; git -C evil config core.fsmonitor 'touch ../pwned'
      git add evil 2>/dev/null; echo 1 >b; git add b`)
    expect(await meet()).toEqual([expect.stringContaining('added the submodule "evil"')])
    agent('git commit -qm evil')
    expect(await meet()).toEqual([
      expect.stringContaining(
        'main adds the submodule "evil". What its agent has is kept as refs/signalbox/fix/heads/main.',
      ),
    ])
    expect(person('git status --porcelain; ls; git log --format=%s -1 refs/signalbox/fix/heads/main')).toBe(
      'A  b\n?? evil/\na\nb\nevil\nevil',
    )
  })

  test('the hub looks at the objects that the person gets, and not at those that the agent shows it first', async () => {
    repository()
    let exchanged = () => {}
    const { agent, exchange: meet } = await session(work, (script) => script === change && exchanged())
    // What git reads without a look at its hash: a tree in a tree, and a parent of a commit.
    const forge = (type: string, hash: string, content: string) => {
      agent(`f=.git/objects/$(echo ${hash} | sed 's|^..|&/|'); ${content} >forged; mv -f $f real
        python3 -c "import zlib; d=open('forged','rb').read(); open('$f','wb').write(zlib.compress(b'${type} %d\\0' % len(d) + d))"`)
      exchanged = () => agent(`f=.git/objects/$(echo ${hash} | sed 's|^..|&/|'); cp -f real $f`)
    }
    agent('mkdir dir; git init -q dir/evil; git -C dir/evil commit -q --allow-empty -m e; git add dir/evil 2>/dev/null')
    agent('git switch -qc evil; git commit -qm evil; git reset -q --hard; git switch -q main')
    forge('tree', agent('git rev-parse evil:dir'), 'git cat-file tree main')
    await meet().catch(() => {})
    expect(person('git branch')).toBe('* main')

    agent('git branch -D evil; git commit -q --allow-empty -m lost; git commit -q --allow-empty -m agent')
    person('git commit -q --allow-empty -m person')
    const hash = person('git rev-parse main')
    forge('commit', agent('git rev-parse main~1'), `git cat-file commit main~1 | sed 's/^parent .*/parent ${hash}/'`)
    await meet().catch(() => {})
    expect(person('git log -1 --format=%s')).toBe('person')
  })

  test('a HEAD without a branch that adds a submodule stays apart', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(`git switch -q --detach; git init -q evil; git -C evil commit -q --allow-empty -m e
      git add evil 2>/dev/null; git commit -qm evil`)
    expect(await meet()).toEqual(['Its HEAD adds the submodule "evil".'])
    expect(person('git symbolic-ref HEAD')).toBe('refs/heads/main')
  })

  test('an agent cannot replace the git directory of a submodule', async () => {
    const other = join(home, 'other')
    mkdirSync(other)
    repository(other)
    repository()
    person(`git -c protocol.file.allow=always submodule --quiet add ${other} lib/sub; git commit -qm sub`)
    const { agent } = await session()
    expect(agent('cd lib/sub; git log --format=%s; echo 2 >a; git status --porcelain')).toBe('one\n M a')
    for (const attempt of [
      'mv lib/sub x',
      'mv lib x',
      'rm lib/sub/.git',
      'mv lib/sub/.git x',
      'echo 1 >.git/modules/lib/sub/config',
    ])
      expect(() => agent(attempt), attempt).toThrow()
    rmSync(join(work, 'lib'), { recursive: true })
  })

  test('the name of a branch or a tag does not take the place of another', async () => {
    repository()
    person('git remote add origin nowhere; git update-ref refs/remotes/origin/main main')
    const { agent, exchange: meet } = await session()
    agent('git commit -q --allow-empty -m two')
    const names = ['heads/origin/main', 'tags/main', 'tags/origin/later', 'tags/FETCH_HEAD']
    for (const name of names) agent(`git update-ref refs/${name} HEAD`)
    const apart = (await meet()).join()
    for (const name of ['origin/main', 'main', 'origin/later', 'FETCH_HEAD'])
      expect(apart).toContain(`The name ${name} `)
    expect(person('git for-each-ref --format="%(refname)" refs/heads refs/tags')).toBe('refs/heads/main')
    expect(person('git rev-parse origin/main 2>&1')).toBe(person('git rev-parse main~1'))
  })

  test('a large difference does not take the time of the hub', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(
      `hash=$(git rev-parse :a); seq 100000 | sed "s|.*|100644 $hash 0\\t&/a/long/name|" | git update-index --index-info`,
    )
    const before = process.threadCpuUsage()
    expect(await meet()).toEqual([])
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(150)
    expect(person('git ls-files | wc -l')).toBe('100001')
  })

  test('a git directory that a person replaces while the session runs is not exchanged', async () => {
    repository()
    const { agent, start, exchange: meet } = await session()
    agent('git commit -q --allow-empty -m two')
    expect(await meet()).toEqual([])
    // A mount goes with the directory that it is on.
    const ended = start("touch here; until [ -e go ]; do sleep 0.05; done; git config core.fsmonitor 'touch ran'")
    await expect.poll(() => existsSync(join(work, 'here')), { timeout: 30_000 }).toBe(true)
    person('rm -rf .git; git init -q -b main; git commit -q --allow-empty -m new')
    writeFileSync(join(work, 'go'), '')
    await ended
    expect(person('git config core.fsmonitor')).toBe('touch ran')
    await expect(meet()).rejects.toThrow(`${join(work, '.git')} was replaced while the session was running`)
  })

  test('what git says about many broken refs is short, and large files with other names stay away', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(`mkdir -p .git/lfs/objects; echo 1 >'.git/lfs/objects/....name'; echo 1 >.git/lfs/objects/wrong
      git commit -q --allow-empty -m two`)
    expect(await meet()).toEqual([])
    expect(person('git log -1 --format=%s; ls .git')).not.toContain('lfs')
    agent('for each in $(seq 200); do echo broken >.git/refs/heads/name$each; done; echo broken >.git/index')
    const { message } = await meet().then(
      () => new Error('no error'),
      (error: Error) => error,
    )
    expect(message).toContain('index file')
    expect(message.length).toBeLessThan(3_000)
  })

  test('submodules in submodules are kept, and those with other letters in their names', async () => {
    const other = join(home, 'other')
    const inner = join(home, 'inner')
    const allow = 'git -c protocol.file.allow=always'
    for (const path of [other, inner]) {
      mkdirSync(path)
      repository(path)
    }
    person(`${allow} submodule --quiet add ${inner} "in ner"; git commit -qm inner`, other)
    repository()
    person(`${allow} submodule --quiet add ${other} müll; git commit -qm sub`)
    person(`${allow} submodule --quiet add ${other} full; ${allow} submodule update --quiet --init --recursive full`)
    person('git commit -qm full')
    const { agent } = await session()
    expect(agent('cd "full/in ner"; git log --format=%s')).toBe('one')
    for (const path of ['müll', 'full', 'full/in ner', 'müll/in ner']) {
      expect(() => agent(`rm -rf "${path}/.git"; git init -q "${path}"`), path).toThrow()
      expect(() => agent(`mv "${path}" x`), path).toThrow()
    }
    expect(person('cat full/.git müll/.git "full/in ner/.git"').match(/^gitdir: .*\/modules\//gm)).toHaveLength(3)
    rmSync(work, { recursive: true })
  })

  test('settings, hooks, links and names of an agent reach nothing outside', async () => {
    repository()
    const secret = join(home, 'secret')
    writeFileSync(secret, 'before\n')
    const { agent, copy, exchange: meet } = await session()
    agent(`git config core.fsmonitor 'touch ${home}/ran'; git config core.hooksPath evil
      mkdir evil; printf '#!/bin/sh\\ntouch ${home}/ran\\n' | tee evil/post-checkout evil/reference-transaction >/dev/null; chmod +x evil/*
      git branch 'x;touch\${IFS}pwned'
      rm -rf .git/logs; mkdir .git/logs; ln -s ${secret} .git/logs/HEAD
      ln -s /etc .git/refs/heads/out
      git commit -q --allow-empty -m two || true`)
    const apart = await meet()
    expect(apart.join()).toContain('could be a command in a shell')
    person('git status; git switch -qc next; git commit -q --allow-empty -m three; git gc -q')
    expect(readFileSync(secret, 'utf8')).toBe('before\n')
    expect(existsSync(join(home, 'ran'))).toBe(false)
    expect(person('git branch')).not.toContain('touch')
    expect(person('ls -A .git/refs/heads; find .git -type l')).not.toContain('out')
    agent('rm -rf .git/objects/info; mkdir -p .git/objects/info; rm -rf .git/HEAD .git/refs; git init -q --bare . ; ls')
    person('git status')
    symlinkSync(secret, join(copy, 'index.lock'))
    await expect(meet()).rejects.toThrow()
    expect(readFileSync(secret, 'utf8')).toBe('before\n')
  })

  test('an entry of the index that git would turn into a submodule stays apart', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    agent(`git init -q evil; git -C evil commit -q --allow-empty -m e; git -C evil config core.fsmonitor 'touch ../pwned'
      git add evil 2>/dev/null; git fetch -q ./evil`)
    for (const mode of ['160755', '040755']) {
      agent(`python3 - ${mode} <<'PY'
import hashlib, struct, sys
data = bytearray(open('.git/index', 'rb').read()[:-20])
at = data.index(b'evil\\0') - 62
struct.pack_into('>I', data, at + 24, int(sys.argv[1], 8))
open('.git/index', 'wb').write(bytes(data) + hashlib.sha1(data).digest())
PY`)
      expect(agent('git ls-files --stage evil')).toMatch(mode)
      const apart = await meet()
      expect(person('git status --porcelain; git ls-files --stage; ls')).not.toMatch(/160000|pwned/)
      expect(apart, mode).toEqual([expect.stringContaining('added the submodule "evil"')])
    }
  })

  test('HEAD comes back only as a branch with a plain name', async () => {
    repository()
    const { agent, exchange: meet } = await session()
    for (const name of ['refs/heads/x;touch${IFS}pwned', 'refs/heads/-x', 'refs/remotes/origin/x', 'refs/tags/x']) {
      agent(`git symbolic-ref HEAD '${name}'`)
      expect(await meet(), name).toEqual([expect.stringMatching(/HEAD/)])
      expect(person('git symbolic-ref HEAD')).toBe('refs/heads/main')
    }
  })
})
