/**
 * The programs that the hub starts itself, in places that a confined agent has written. Each agent leaves a program
 * there that reads a secret of the person and writes beside it.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import { createRepository, git } from './fixtures/git-repository.ts'
import { bundled } from './harness/bundle.ts'
import { callTool } from './harness/modern-call.ts'
import { requiresAll } from './harness/requires.ts'
import { createTempHome } from './harness/temp-home.ts'
import { shippedHub } from './worlds/hub-process.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { startOwnHub } from './worlds/own-hub.ts'
import { hubUsers } from './worlds/hub-users.ts'
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

/** A service on this machine that no confined program should reach. */
async function startService() {
  let calls = 0
  const server = createServer((_request, response) => response.end(String(++calls))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/**
 * A program that loads plugins like opencode: from its own settings, and from the project unless a variable forbids it.
 * Without a command it is the agent, which writes such plugins.
 */
function createOpencode(person: Person, more: string) {
  const tools = join(person.path, 'tools')
  mkdirSync(tools)
  const script = [
    '#!/bin/sh',
    'own=$HOME/.config/opencode',
    'case $1 in session | import | debug | models)',
    '  [ -z "$OPENCODE_DISABLE_PROJECT_CONFIG" ] && sh .opencode/plugin >&2',
    '  [ -z "$OWN_PLUGIN" ] && { sh $own/plugin >&2; echo $1 >> $own/ran; } ;;',
    'esac',
    'case $1 in',
    `  session) echo '[{"id": "ses_1", "directory": "'$PWD'", "created": '$(cat $own/began)', "updated": '$(cat $own/began)'}]' ;;`,
    '  import) cat "$2" ;;',
    `  debug) echo '{"model": "local/scripted"}' ;;`,
    '  *)',
    "    mkdir -p .opencode $own; date +%s%3N > $own/began; cat > .opencode/plugin <<'EOF'",
    person.attack,
    more,
    'EOF',
    '    cp .opencode/plugin $own/plugin ;;',
    'esac',
  ]
  writeFileSync(join(tools, 'opencode'), `${script.join('\n')}\n`, { mode: 0o755 })
  const conversation = { resume: ['--session', '{conversation_id}'], listed_by: 'opencode' }
  const template = { name: 'oc', command: 'opencode', args: ['{conversation}'], agent: 'opencode', conversation }
  return { template, PATH: `${tools}${delimiter}${process.env['PATH']}` }
}

async function save(hub: OwnHub, template: Readonly<Record<string, unknown>>): Promise<void> {
  await hub.call('save_template', { payload: template })
}

confined.describe.each(hubUsers())('as $who', ({ within }) => {
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

  test('so is that of a worktree which the sandbox of another session may write', async () => {
    await using person = await createPerson()
    await using hub = await startHub(person, within)
    await save(hub, { name: 'own', command: 'true', worktree_teardown: 'tools/tidy' })
    const spec = { name: 'tree', template: 'own', working_dir: person.repository, worktree: true, wait }
    const { workspace_path: path } = (await hub.call('create_session', spec)) as unknown as Session
    const command = `cd ${path}; mkdir tools; cat > tools/tidy <<'EOF'\n${person.attack}EOF\nchmod +x tools/tidy`
    await hub.call('create_session', { name: 'agent', command, sandbox: { write: [path], ...none }, wait })
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

  test('an agent cannot change the programs that are installed where it may write', async () => {
    await using person = await createPerson()
    const own = join(person.path, '.claude')
    const program = '#!/bin/sh\necho 2.1.325\n'
    const place = (path: string, text = program) => {
      mkdirSync(dirname(join(own, path)), { recursive: true })
      writeFileSync(join(own, path), text, { mode: 0o755 })
    }
    // By its own path, by a link in a directory of the PATH, and deep in a directory that could be renamed.
    place('local/claude')
    place('versions/3/codex')
    mkdirSync(join(own, 'bin'))
    symlinkSync('../versions/3/codex', join(own, 'bin/codex'))
    place('npm/node_modules/gemini-cli/gemini.js')
    place('npm/node_modules/gemini-cli/lib.js', 'good\n')
    mkdirSync(join(person.path, 'bin'))
    symlinkSync(join(own, 'npm/node_modules/gemini-cli/gemini.js'), join(person.path, 'bin/gemini'))
    const PATH = [
      join(own, 'early'),
      ...['local', 'bin'].map((name) => join(own, name)),
      join(person.path, 'bin'),
      process.env['PATH'],
    ].join(delimiter)
    await using hub = await startHub(person, within, { PATH })
    const attack = `printf '%s' '${person.attack.replaceAll("'", `'"'"'`)}'`
    const put = (path: string) => `{ mkdir -p ${dirname(path)}; ${attack} > ${path}; chmod +x ${path}; }`
    const command = [
      'cd ~/.claude',
      ...[
        'local/claude',
        'bin/codex',
        'versions/3/codex',
        'early/claude',
        'npm/node_modules/gemini-cli/lib.js',
      ].flatMap((path) => [
        `rm -f ${path}`,
        put(`new-${path.replaceAll('/', '-')}`),
        `mv -f new-${path.replaceAll('/', '-')} ${path}`,
        put(path),
      ]),
      ...['local', 'bin', 'versions', 'versions/3', 'early', 'npm', 'npm/node_modules'].map(
        (path) => `mv -f ${path} ${path}-old`,
      ),
      ...['local/claude', 'bin/codex', 'versions/3/codex', 'early/claude', 'npm/node_modules/gemini-cli/lib.js'].map(
        put,
      ),
      'echo 1 > tried',
    ].join('; ')
    for (const sandbox of [undefined, { write: ['~/.claude/'], network: 'all' }]) {
      rmSync(join(own, 'tried'), { force: true })
      await hub.call('create_session', {
        name: 'agent',
        template: 'claude',
        command,
        ...(sandbox ? { template: 'shell', sandbox } : {}),
        wait,
      })
      expect(existsSync(join(own, 'tried'))).toBe(true)
      for (const path of ['local/claude', 'bin/codex', 'versions/3/codex']) {
        expect(readFileSync(join(own, path), 'utf8'), path).toBe(program)
      }
      expect(existsSync(join(own, 'early/claude'))).toBe(false)
      expect(readFileSync(join(own, 'npm/node_modules/gemini-cli/lib.js'), 'utf8')).toBe('good\n')
    }
  })

  test('a sandbox that could replace the program of a template, or one on the PATH, is refused', async () => {
    await using person = await createPerson()
    const tools = join(person.path, 'tools')
    mkdirSync(tools)
    writeFileSync(join(tools, 'own-agent'), '#!/bin/sh\n', { mode: 0o755 })
    const bin = join(person.path, 'bin')
    mkdirSync(bin)
    await using hub = await startHub(person, within, { PATH: `${bin}${delimiter}${process.env['PATH']}` })
    await save(hub, { name: 'own', command: join(tools, 'own-agent'), args: [] })
    const attempt = (sandbox: object, more: object = {}) =>
      failureOf(hub, 'create_session', { name: 'agent', command: 'true', sandbox, ...more })
    expect(await attempt({ write: ['~/tools'], ...none })).toContain('programs that are started outside a sandbox')
    expect(await attempt({ write: ['~/bin'], ...none })).toContain('programs that are started outside a sandbox')
    for (const path of [dirname(realpathSync(process.execPath)), resolve(import.meta.dirname, '..')]) {
      expect(await attempt({ write: [path], ...none })).toContain('programs that are started outside a sandbox')
    }
    expect(await attempt(none, { working_dir: bin })).toContain(`the workspace ${bin} holds programs`)
    // The project of a person may hold the program of its agent.
    await hub.call('create_session', { name: 'agent', command: 'true', sandbox: none, working_dir: tools })
  })

  test('the program of a template in the data directory does not open that directory', async () => {
    await using person = await createPerson()
    await using hub = await startHub(person, within)
    const own = join(hub.home, 'own')
    mkdirSync(own)
    writeFileSync(join(own, 'agent'), '#!/bin/sh\n', { mode: 0o755 })
    await save(hub, { name: 'own', command: join(own, 'agent'), args: [] })
    const out = join(person.repository, 'out')
    const command = `ls ${hub.home} > ${out}; cat ${hub.home}/token >> ${out}`
    const sandbox = { write: [dirname(hub.home)], ...none }
    await hub.call('create_session', { name: 'agent', command, sandbox, working_dir: person.repository, wait })
    expect(readFileSync(out, 'utf8')).not.toMatch(/token|sb_|own/)
  })

  test('doctor asks an agent for its version where it reaches nothing', async () => {
    await using person = await createPerson()
    await using service = await startService()
    const local = join(person.path, '.claude/local')
    mkdirSync(local, { recursive: true })
    const script = `${person.attack}curl -s -o /dev/null ${service.url}\necho 2.1.325\n`
    writeFileSync(join(local, 'claude'), script, { mode: 0o755 })
    const env = {
      ...process.env,
      HOME: person.path,
      SIGNALBOX_HOME: join(person.path, 'hub'),
      TMPDIR: person.path,
      PATH: `${local}${delimiter}${process.env['PATH']}`,
    }
    mkdirSync(env.SIGNALBOX_HOME, { mode: 0o700 })
    const [file, ...args] = [...within, process.execPath, bundled('signalbox'), 'doctor']
    const { promise, resolve } = Promise.withResolvers<string>()
    execFile(file, args, { env, cwd: '/' }, (_error, stdout) => resolve(stdout))
    const said = await promise
    expect(said).toContain('claude 2.1.325')
    expect(said).not.toContain('THE SECRET')
    expect(person.isPwned()).toBe(false)
    expect(service.calls()).toBe(0)
  })

  test('the hub does not start a program that a project has in node_modules/.bin', async () => {
    await using person = await createPerson()
    const bin = join(person.repository, 'node_modules/.bin')
    await using hub = await startHub(person, within, { PATH: `${bin}${delimiter}${process.env['PATH']}` })
    const command = `mkdir -p ${bin}; cat > ${bin}/git <<'EOF'\n${person.attack}EOF\nchmod +x ${bin}/git`
    const at = { working_dir: person.repository }
    await hub.call('create_session', { name: 'agent', command, sandbox: none, wait, ...at })
    expect(existsSync(join(bin, 'git'))).toBe(true)
    await hub.call('create_session', { name: 'tree', command: 'true', sandbox: none, worktree: true, ...at })
    expect(person.isPwned()).toBe(false)
  })

  test('the hub asks Codex for its account in a sandbox without a network', async () => {
    await using person = await createPerson()
    await using service = await startService()
    const tools = join(person.path, 'tools')
    mkdirSync(tools)
    const script = `${person.attack}mkdir -p ~/.codex\necho 1 > ~/.codex/ran\ncurl -s -o /dev/null ${service.url}\n`
    writeFileSync(join(tools, 'codex'), script, { mode: 0o755 })
    await using hub = await startHub(person, within, {
      PATH: `${tools}${delimiter}${process.env['PATH']}`,
      SIGNALBOX_SANDBOX: 'required',
      SIGNALBOX_REPOSITORY_MCP_PORT: '0',
    })
    const url = String((await hub.call('hub_status'))['repository_url'])
    await expect(callTool({ url, token: hub.token }, 'ListRepositories')).rejects.toThrow('CODEX_UNAVAILABLE')
    expect(existsSync(join(person.path, '.codex/ran'))).toBe(true)
    expect(person.isPwned()).toBe(false)
    expect(service.calls()).toBe(0)
  })

  test('opencode lists and imports conversations in the sandbox of the session, with the plugins of the agent', async () => {
    await using person = await createPerson()
    await using service = await startService()
    const { template, PATH } = createOpencode(person, `curl -s -o /dev/null ${service.url}`)
    await using hub = await startHub(person, within, { PATH })
    await save(hub, { ...template, sandbox: { write: ['~/.config/opencode/'], network: 'all' } })
    await hub.call('create_session', { name: 'agent', template: 'oc', wait })
    const ran = join(person.path, '.config/opencode/ran')
    const commands = () => readFileSync(ran, 'utf8').trim().split('\n')
    await hub.call('resume_session', { name: 'agent' })
    expect(commands()).toEqual(['session'])
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })
    const { thread_id: thread } = await hub.call('import_thread', { text, format: 'openai-chat' })
    await hub.call('switch_provider', { thread, to: 'oc' })
    expect(commands()).toEqual(['session', 'debug', 'import'])
    expect(person.isPwned()).toBe(false)
    expect(service.calls()).toBe(0)
  })

  test('opencode without a sandbox lists conversations without the plugins of the project', async () => {
    await using person = await createPerson()
    const { template, PATH } = createOpencode(person, 'true')
    await using hub = await startHub(person, within, { PATH })
    await save(hub, { ...template, command: 'opencode', sandbox: 'off', env: { OWN_PLUGIN: 'no' } })
    await hub.call('create_session', { name: 'agent', template: 'oc', wait })
    await hub.call('resume_session', { name: 'agent' })
    expect(person.isPwned()).toBe(false)
  })
})

confined.describe('where no sandbox can be made', () => {
  const userNamespace = ['unshare', '--user', '--map-root-user']
  const canUnshare = spawnSync('unshare', [...userNamespace.slice(1), 'true']).status === 0
  const limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'

  /** Until `forbid` is called and the hub has restarted, sandboxes can be made. */
  async function startForbiddable(person: Person, env: Readonly<Record<string, string>> = {}) {
    const mayConfine = join(person.path, 'may-confine')
    mkdirSync(mayConfine)
    const forbidding = [...userNamespace, 'sh', '-c', limit].map((word) => `'${word}'`).join(' ')
    const start = `if [ -d ${mayConfine} ]; then exec "$0" "$@"; else exec ${forbidding} "$0" "$@"; fi`
    const hub = await startHub(person, ['sh', '-c', start], env)
    const forbid = async () => {
      rmSync(mayConfine, { recursive: true })
      await hub.restart('SIGTERM')
    }
    return { ...hub, forbid }
  }

  test.runIf(canUnshare)('a tear-down of confined sessions does not run, and the worktree stays', async () => {
    await using person = await createPerson()
    await using hub = await startForbiddable(person)
    await save(hub, { name: 'agent', command: 'true', worktree_teardown: `echo 1 > ${person.pwned}`, sandbox: none })
    const spec = { name: 'tree', template: 'agent', working_dir: person.repository, worktree: true, wait }
    const { workspace_path: path } = (await hub.call('create_session', spec)) as unknown as Session
    await hub.forbid()
    const { worktree } = await hub.call('kill_session', { name: 'tree', remove: true })
    const why = expect.stringMatching(/^worktree_teardown of the template "agent" did not run, because it cannot be/)
    expect(worktree).toMatchObject({ is: 'kept', why })
    expect(existsSync(path)).toBe(true)
    expect(person.isPwned()).toBe(false)
  })

  test.runIf(canUnshare)('the conversations of a confined opencode are not listed', async () => {
    await using person = await createPerson()
    const { template, PATH } = createOpencode(person, 'true')
    await using hub = await startForbiddable(person, { PATH })
    await save(hub, { ...template, sandbox: { write: ['~/.config/opencode/'], network: 'all' } })
    await hub.call('create_session', { name: 'agent', template: 'oc', wait })
    await hub.forbid()
    expect(await failureOf(hub, 'resume_session', { name: 'agent' })).toContain('cannot be confined')
    expect(person.isPwned()).toBe(false)
    expect(existsSync(join(person.path, '.config/opencode/ran'))).toBe(false)
  })
})
