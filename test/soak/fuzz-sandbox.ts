/**
 * Confined agents leave files, links and settings wherever they can write, while the hub, the command line and a person's
 * git work there. The agents' lines, and what happens outside meanwhile, come from a seed.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isOver, type Session } from '../../src/api/session.ts'
import { bundled } from '../harness/bundle.ts'
import { modernRequest } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { shippedHub } from '../worlds/hub-process.ts'
import type { HubUser } from '../worlds/hub-users.ts'
import { startOwnHub } from '../worlds/own-hub.ts'
import { foreignIn, mark, startService, watchCanaries } from './canaries.ts'
import { createDice, type Dice } from './fuzz-values.ts'
import { arms, draftAttack, inner, named, type Prey, scriptOf, transcripts, watcher } from './hostile-agent.ts'

export interface FuzzReport {
  readonly faults: readonly string[]
  /** What happened before the first fault. */
  readonly history: readonly string[]
  /** How many were tried, and how many of them succeeded. */
  readonly tried: Readonly<Record<Kind, number>>
  readonly done: Readonly<Record<Kind, number>>
}

type Kind = 'attack' | 'tool' | 'command' | 'git'

export interface FuzzSpec {
  readonly seed: number
  readonly rounds: number
  readonly user: HubUser
}

/** Where an agent works, and who works there outside. */
const kinds = ['repository', 'worktree', 'careless', 'nested', 'plain'] as const
/** Then another workspace follows. */
const roundsPerLane = 5
const nobody = 65_534
/** Only for what hangs. */
const timeoutMs = 120_000

/** Stops at the first fault. */
export async function fuzzSandbox({ seed, rounds, user }: FuzzSpec): Promise<FuzzReport> {
  const dice = createDice(seed)
  await using world = await openWorld(user)
  const history: string[] = []
  const tried = { attack: 0, tool: 0, command: 0, git: 0 }
  const done = { attack: 0, tool: 0, command: 0, git: 0 }

  async function attempt(kind: Kind, what: string, act: () => Promise<string>): Promise<void> {
    tried[kind]++
    history.push(`${kind}: ${what}`)
    try {
      world.inspect(what, await act())
      done[kind]++
    } catch (error) {
      history.push(`  failed: ${String(error).slice(0, 200)}`)
      world.inspect(what, String(error))
    }
  }

  let lane: Lane | undefined
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerLane === 0) {
      await lane?.close()
      lane = await world.openLane(kinds[Math.floor(round / roundsPerLane) % kinds.length]!, dice)
    }
    history.push(`round ${round} (${lane!.kind})`)
    const drafts = Array.from({ length: 2 + dice.below(6) }, () => draftAttack(dice, lane!.prey))
    const lines = round % roundsPerLane === 0 ? [...arms, ...drafts] : drafts
    history.push(...lines.map((line) => `agent: ${line}`))
    const acts = Array.from({ length: 2 + dice.below(3) }, () => draftAct(dice, lane!))
    const attack = lane!.attack(lines).then((succeeded) => {
      tried.attack += lines.length
      done.attack += succeeded
    })
    // Meanwhile, or where all that the agent has left is in place.
    if (dice.chance(0.5)) await attack
    for (const { kind, what, act } of acts) await attempt(kind, what, act)
    await attack
    const faults = world.faults()
    if (faults.length > 0) return { faults, history: history.slice(-80), tried, done }
  }
  await lane?.close()
  return { faults: world.faults(), history: [], tried, done }
}

interface Act {
  readonly kind: Kind
  readonly what: string
  act(): Promise<string>
}

type Args = Readonly<Record<string, unknown>>

interface Lane {
  readonly kind: (typeof kinds)[number]
  readonly prey: Prey
  readonly session: string
  /** A working tree of the person. */
  readonly main: string
  /** Runs lines in the sandbox, and returns how many succeeded. */
  attack(lines: readonly string[]): Promise<number>
  /** Runs lines in another sandbox, to its end. */
  visit(lines: readonly string[], more: Args): Promise<string>
  call(tool: string, args: Args): Promise<string>
  /** As the agent. */
  read(uri: string): Promise<string>
  renew(remove: boolean): Promise<string>
  person(file: string, args: readonly string[], directory: string): Promise<string>
  close(): Promise<void>
}

function draftAct(dice: Dice, lane: Lane): Act {
  const acts = [draftTool, draftTool, draftTool, draftCommand]
  // Where settings name programs of the workspace, only the hub runs git.
  const act = lane.kind === 'careless' ? acts : [...acts, draftGit, draftGit, draftGit, draftGit]
  return dice.pick(act)(dice, lane)
}

function draftTool(dice: Dice, lane: Lane): Act {
  const { session, prey } = lane
  const { workspace } = prey
  const path = dice.pick([
    'file',
    'tracked/deep',
    'extra',
    `${inner}/file`,
    `${named}/x`,
    'loot',
    '.git/config',
    '.gitmodules',
  ])
  const lines = Array.from({ length: 1 + dice.below(4) }, () => draftAttack(dice, prey))
  const repository = dice.pick([workspace, `${workspace}/${inner}`, `${workspace}/made`])
  const visitor = `${session}-${dice.below(3)}`
  const tool = (name: string, args: Args): Act => ({
    kind: 'tool',
    what: `${name} ${JSON.stringify(args)}`,
    act: () => lane.call(name, args),
  })
  const visit = (more: Args): Act => ({
    kind: 'tool',
    what: `create_session ${JSON.stringify(more)} with the lines\n  ${lines.join('\n  ')}`,
    act: () => lane.visit(lines, { name: visitor, ...more }),
  })
  /** The agent leaves a link where its next sandbox is to look. */
  const trap = (): Act => {
    const at = `${workspace}/${dice.pick([named, inner, 'extra'])}`
    const line = `link '${at}' '${dice.pick(prey.targets)}'`
    const sandbox = dice.pick([{ write: [at] }, { write: [`${at}/`] }, { read: [at] }])
    const more = dice.chance(0.3)
      ? { working_dir: at }
      : { working_dir: workspace, sandbox: { ...sandbox, network: 'none' } }
    const { what, act } = visit(more)
    return {
      kind: 'tool',
      what: `${line}, then ${what}`,
      async act() {
        await lane.attack([line])
        return act()
      },
    }
  }
  const remove = dice.chance(0.5)
  const looks = [
    () => tool('read_changes', { session }),
    () => tool('read_changes', { session, path }),
    () => tool('list_files', { session, path: dice.pick(['', 'tracked', inner, named, '.git']) }),
    () => tool('read_file', { session, path }),
    () => tool('discard_changes', { session, path }),
    () =>
      tool('save_screenshot', {
        session,
        path: dice.pick(['shot.png', `${named}/shot.png`, `${inner}/shot.png`, '.bashrc']),
      }),
    () => tool('read_thread', { session }),
    () => tool('get_session', { name: session }),
    () => tool('switch_provider', { session, to: 'heir' }),
    () => tool('add_repository', { path: repository, name: `r${dice.below(3)}` }),
    () => tool('refresh_repository', { repository: `r${dice.below(3)}` }),
    () => tool('search_repository', { query: mark.split('-')[0], mode: dice.pick(['lexical', 'regex']) }),
    () => tool('remove_repository', { repository: `r${dice.below(3)}` }),
    () => tool('restart_connector', { name: 'local' }),
    () => tool('kill_session', { name: visitor, remove }),
    () => tool('prune', { dry_run: !remove }),
    (): Act => ({ kind: 'tool', what: 'the agent ends, and another one begins', act: () => lane.renew(remove) }),
    (): Act => {
      const uri = `resource://sessions/${session}/${dice.pick([`files/${path}`, 'thread'])}`
      return { kind: 'tool', what: `resources/read ${uri}`, act: () => lane.read(uri) }
    },
  ]
  const visits = [
    trap,
    trap,
    trap,
    () => visit({ working_dir: workspace, worktree: true }),
    () => visit({ working_dir: workspace, worktree: true }),
    () => visit({ working_dir: `${workspace}/made`, worktree: true }),
    () => visit({ working_dir: `${workspace}/${inner}` }),
    () => visit({ working_dir: `${workspace}/worktrees/x` }),
    () => visit({ working_dir: workspace, sandbox: { write: [`${workspace}/${named}/`], network: 'none' } }),
    () =>
      visit({
        working_dir: `${workspace}/${inner}`,
        sandbox: { read: [`${workspace}/${named}`, `${workspace}/extra`], network: 'none' },
      }),
  ]
  return dice.pick(dice.pick([looks, visits]))()
}

function draftCommand(dice: Dice, { session, prey, person }: Lane): Act {
  const args = dice.pick([
    ['ls'],
    ['changes', session],
    ['changes', session, '--stat'],
    ['thread', session],
    ['doctor'],
    ['prune'],
  ])
  const act = () => person(process.execPath, [bundled('signalbox'), ...args], prey.workspace)
  return { kind: 'command', what: `signalbox ${args.join(' ')}`, act }
}

function draftGit(dice: Dice, { kind, main, prey, person }: Lane): Act {
  const directory = dice.pick([prey.workspace, prey.workspace, main])
  const branch = dice.pick(['main', 'new', 'feature/x', 'person', `p${dice.below(4)}`])
  // What a prompt, or a line of a script, does with the names of branches.
  const evaluated = `for each in $(git for-each-ref --format='%(refname)'); do eval "true $each"; done`
  // A repository of the agent that a person adds becomes a submodule, and git obeys its settings.
  const adding = [
    'git add -u',
    'echo person >>file; git add file extra',
    'git commit -qam person',
    'git stash; git stash pop',
  ]
  const line = dice.pick([
    ...(kind === 'nested' ? [] : adding),
    'git status',
    'git status --porcelain -uall',
    'git commit -q --allow-empty -m person',
    `git checkout -q ${branch}`,
    `git checkout -q -b p${dice.below(4)}`,
    'git checkout -q -f HEAD -- .',
    'git branch -a',
    'git ls-files -s; git ls-tree -r HEAD',
    `git branch -D ${branch}`,
    `git worktree add -q -f ../t${dice.below(3)} ${branch}`,
    `git worktree remove -f ../t${dice.below(3)}`,
    'git worktree list; git worktree prune',
    'git gc -q',
    `git config user.nickname me${dice.below(9)}`,
    'git log -p --all -5',
    'git diff HEAD',
    'git reset -q --hard',
    `git merge -q ${branch} || git merge --abort`,
    'for each in $(git for-each-ref --format="%(refname)" refs/signalbox); do git log -1 -p $each; done',
    'git fsck; git grep -h Zanzibar HEAD',
    'git archive HEAD | tar -tf -; git blame file',
    'git submodule status; git submodule update --init',
    evaluated,
  ])
  return { kind: 'git', what: `in ${directory}: ${line}`, act: () => person('/bin/sh', ['-c', line], directory) }
}

/** One hub, and the home of its person. */
async function openWorld({ who, within }: HubUser) {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const service = stack.use(await startService())
  const at = (path: string) => join(home.path, path)
  const uid = within.length === 0 ? undefined : nobody
  const environment = {
    HOME: home.path,
    GIT_AUTHOR_NAME: 'person',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'person',
    GIT_COMMITTER_EMAIL: 'a@b',
    GIT_EDITOR: 'true',
    GIT_PAGER: 'cat',
  }
  const PATH = `${at('lane/work/node_modules/.bin')}:${at('.claude/local')}:${process.env['PATH']}`
  const hub = stack.use(
    await startOwnHub({ program: shippedHub, within, env: { HOME: home.path, PATH, SIGNALBOX_SANDBOX: 'required' } }),
  )
  const signalbox = { SIGNALBOX_HOME: hub.home }

  /** What a person runs. Rejects with what it printed. */
  function person(file: string, args: readonly string[], directory: string): Promise<string> {
    const isCommand = file === process.execPath
    const env = { ...environment, ...signalbox, PATH: isCommand ? PATH : process.env['PATH'] }
    const user = uid === undefined ? {} : { uid, gid: uid }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    execFile(
      file,
      args,
      { cwd: directory, env, timeout: timeoutMs, maxBuffer: 2 ** 26, ...user },
      (error, out, err) => {
        if (error) reject(new Error(`${error.message}\n${out}\n${err}`))
        else resolve(`${out}\n${err}`)
      },
    )
    return promise
  }
  const prepare = (line: string) => person('/bin/sh', ['-euc', line], home.path)
  const answer = async (tool: string, args: Args) => JSON.stringify(await hub.call(tool, args))

  await prepare(`mkdir -p .ssh .claude/projects .claude/chats .claude/local lane private orders
    echo before >.bashrc; echo ${mark} >.ssh/id; echo ${mark} >secret.txt; printf '#!/bin/sh\\necho 2.1.325\\n' >.claude/local/claude; chmod +x .claude/local/claude
    ${transcripts.map((id) => `echo '${lineOf(mark)}' >private/${id}.jsonl`).join('\n')}
    git init -q -b main private/hidden; cp secret.txt private/hidden; cd private/hidden; git add .; git commit -qm ${mark}`)
  const commit = (await prepare('git -C private/hidden rev-parse HEAD')).trim()
  const hidden = { path: at('private/hidden/.git'), commit }
  const targets = [
    ...['.bashrc', '.ssh', '.ssh/id', 'secret.txt', 'private', `private/${transcripts[0]}.jsonl`, 'private/hidden'].map(
      at,
    ),
    ...['', '/objects', '/config', '/HEAD', '/refs/heads/main', '/index'].map((name) => `${hidden.path}${name}`),
    home.path,
    hub.home,
    join(hub.home, 'token'),
    '/etc/shadow',
  ]
  await hub.call('set_policy', { scope: 'hub', source: 'default: allow' })
  const stdio = { transport: 'stdio', cmd: 'sh', args: ['server.sh'] }
  await hub.call('save_connector', { name: 'local', ...stdio })
  await hub.call('allow_connector', { name: 'local' })
  const orders = at('orders')
  const loop =
    'exec 3<>in; while read -r n <&3; do timeout 60 sh "$n" </dev/null >/dev/null 2>&1; touch "$n.done"; done'
  const template = {
    agent: 'claude',
    command: 'sh',
    sandbox: { write: ['~/.claude/', orders], network: 'none' },
    connectors: ['local'],
    worktree_setup: `./${watcher} || true`,
    worktree_teardown: './server.sh || true',
  }
  const save = (payload: object) => hub.call('save_template', { payload: { ...template, ...payload } })
  await save({ name: 'hostile', args: ['-c', `cd ${orders}; ${loop}`] })
  await save({ name: 'heir', args: ['-c', 'exec cat'] })
  const token = readFileSync(join(hub.home, 'token'), 'utf8').trim()
  let repository: { readonly path: string; readonly known: readonly string[] } | undefined
  const canaries = watchCanaries({
    still: [home.path, at('.claude/local'), join(hub.home, 'token'), join(hub.home, 'hub.key')],
    changing: [at('lane'), at('.claude'), orders],
    readable: () => [at('.claude'), orders, at('lane'), join(hub.home, 'workspaces')],
    repository: () => repository,
    // No submodule of the agent comes to the person.
    secrets: [mark, token, `160000 ${commit}`, `160000 commit ${commit}`],
    requests: service.requests,
  })
  let lanes = 0
  let count = 0
  const opened = stack.move()

  async function openLane(kind: Lane['kind'], dice: Dice): Promise<Lane> {
    const session = `agent-${++lanes}`
    repository = undefined
    const main = at(kind === 'worktree' ? 'lane/main' : 'lane/work')
    await prepare(
      `rm -rf lane; mkdir -p ${main}; cd ${main}; mkdir tracked ${inner} ${named} worktrees worktrees/x; echo 1 >file; echo 1 >tracked/deep; echo 1 >${inner}/file`,
    )
    if (kind !== 'plain') {
      await prepare(
        `cd ${main}; git init -q -b main; echo loot >.gitignore; git add .; git commit -qm one; git branch person; git branch signalbox/next`,
      )
    }
    if (kind === 'careless') {
      await prepare(`cd ${main}; git config core.hooksPath ${dice.pick(['.husky/_', `${main}/.husky/_`])}; git config core.fsmonitor ${watcher}
        git config filter.own.clean ${main}/${watcher}; git config filter.own.smudge ${main}/server.sh; echo '* filter=own' >.git/info/attributes`)
    }
    const path = join(main, '.git')
    repository = kind === 'plain' ? undefined : { path, known: foreignIn(path) }
    await prepare(
      `rm -rf orders/* .claude/chats .claude/projects; mkdir .claude/chats .claude/projects; mkfifo orders/in`,
    )
    // Open for reading as well, so that writing does not wait for the agent.
    const pipe = openSync(join(orders, 'in'), constants.O_RDWR)
    const spec = { name: session, template: 'hostile', working_dir: main, worktree: kind === 'worktree' }
    const { workspace_path: opened } = await hub.call('create_session', spec)
    const { token: agentToken } = await hub.call('issue_token', { role: 'agent', session })
    const workspace = String(opened)
    const shared = join(main, '.git')
    const own = kind === 'worktree' ? join(shared, 'worktrees', session) : shared
    const prey: Prey = {
      workspace,
      own,
      shared,
      home: home.path,
      targets,
      hidden,
      service: service.url,
      mayNest: kind === 'careless' || kind === 'nested',
    }
    /** Aborted when the program in the sandbox ends. It may then leave lines undone. */
    let life = new AbortController()

    /** What the agent has exchanged meanwhile may prevent it. */
    async function begin(): Promise<void> {
      life.abort()
      await hub.call('create_session', { name: session, template: 'hostile', working_dir: workspace })
      life = new AbortController()
    }

    /** A session that is renewed at this moment may be missing. */
    async function hasEnded(): Promise<boolean> {
      const { sessions } = (await hub.call('list_sessions', { limit: 500 })) as { sessions: readonly Session[] }
      const status = sessions.find(({ name }) => name === session)?.status
      return status !== undefined && isOver(status)
    }

    const lane: Lane = {
      kind,
      prey,
      session,
      main,
      person,
      call: answer,
      async attack(lines) {
        const order = join(orders, String(++count))
        writeFileSync(order, scriptOf({ lines, workspace, done: `${order}.ok` }, prey))
        writeSync(pipe, `${order}\n`)
        const { signal } = life
        for (let looks = 1; !existsSync(`${order}.done`) && !signal.aborted; looks++) {
          await pause(10)
          if (looks % 100 === 0 && (await hasEnded()))
            await begin().catch((error: unknown) => canaries.inspect('create_session', String(error)))
        }
        return existsSync(`${order}.ok`) ? Number(readFileSync(`${order}.ok`, 'utf8')) : 0
      },
      visit(lines, more) {
        const script = scriptOf({ lines, done: '/tmp/done' }, prey)
        const given = { command: 'sh', args: ['-c', script], sandbox: { network: 'none' }, wait: { for: 'exit' } }
        return answer('create_session', { ...given, ...more })
      },
      async read(uri) {
        return JSON.stringify(
          await modernRequest({ url: hub.url, token: String(agentToken) }, 'resources/read', { uri }),
        )
      },
      async renew(remove) {
        life.abort()
        const ended = await answer('kill_session', { name: session, remove: remove && kind !== 'worktree' })
        await begin()
        return ended
      },
      async close() {
        const { sessions } = (await hub.call('list_sessions', { limit: 500 })) as {
          sessions: readonly { id: string }[]
        }
        for (const { id } of sessions)
          canaries.inspect('kill_session', await answer('kill_session', { name: id, remove: true }).catch(String))
        closeSync(pipe)
      },
    }
    return lane
  }

  return {
    who,
    inspect: canaries.inspect,
    faults: canaries.faults,
    openLane,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function lineOf(text: string): string {
  return JSON.stringify({ type: 'user', uuid: '1', message: { role: 'user', content: text } })
}
