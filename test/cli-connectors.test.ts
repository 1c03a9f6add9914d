/** The connector commands against a real hub with real upstreams. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { CliOutcome } from './fixtures/run-cli.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

const memory = new URL('../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url).pathname

let home: TempHome
let hub: HubProcess
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path, env: { GITHUB_TOKEN: 'secret-of-github' } })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('signalbox connectors', () => {
  test('adds, tests, lists, shows and deletes a program', async () => {
    expect(await signalbox('connectors')).toMatchObject({
      code: 0,
      out: expect.stringContaining('no connectors') as string,
    })
    const flags = ['--env', 'A=b', '--shared', '--no-prefix']
    const added = await signalbox('connectors', 'add', 'memory', ...flags, '--', 'node', memory)
    expect(added).toMatchObject({ code: 0, out: `memory: node ${memory}` })
    const tried = await signalbox('connectors', 'test', 'memory')
    expect(tried.code, tried.err).toBe(0)
    expect(tried.out).toMatch(
      /^memory-server \S+ works: MCP 2025-11-25 \(legacy\), \d+ ms\.\ntools \(9\): create_entities/,
    )
    expect((await signalbox('connectors', 'ls')).out).toMatch(/memory {2}stdio +stopped +– +node/)
    expect((await signalbox('connectors', 'show', 'memory')).out).toContain('env        {"A":"b"}')
    expect(JSON.parse((await signalbox('connectors', '--json')).out)).toMatchObject({
      connectors: [{ name: 'memory', transport: 'stdio', options: { env: { A: 'b' }, shared: true, prefix: false } }],
    })
    expect((await signalbox('connectors', 'rm', 'memory')).out).toBe('Deleted memory.')
    expect(await signalbox('connectors', 'show', 'memory')).toMatchObject({ code: 1 })
  })

  test('reports why a server does not work, without its secret', async () => {
    const script = 'read line; echo "no good: $GITHUB_TOKEN" >&2; exit 3'
    await signalbox('connectors', 'add', 'broken', '--env-key', 'GITHUB_TOKEN', '--', 'sh', '-c', script)
    onTestFinished(() => void signalbox('connectors', 'rm', 'broken'))
    const { code, err } = await signalbox('connectors', 'test', 'broken')
    expect(code).toBe(1)
    expect(err).toContain('it last said: no good: [redacted]')
    expect(err).toContain(
      'stderr:\n  no good: [redacted]\nThe server got /tmp as its workspace. In a session it gets that of the session',
    )
    await signalbox('connectors', 'add', 'broken', '--env-key', 'NOT_THERE', '--', 'true')
    const missing = await signalbox('connectors', 'test', 'broken')
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('It needs NOT_THERE') as string })
  })

  test('refuses a literal secret, and no event contains it', async () => {
    const secret = 'hunter2-hunter2'
    const header = await signalbox(
      'connectors',
      'add',
      'x',
      '--url',
      'https://example.org',
      '-H',
      `X-Api-Key: ${secret}`,
    )
    expect(header).toMatchObject({ code: 5, err: expect.stringContaining('${X_API_KEY}') as string })
    const argument = await signalbox('connectors', 'add', 'x', '--', 'sh', '--what', secret, '--token', secret)
    expect(argument.code).toBe(5)
    const events = JSON.stringify(await callTool(hub, 'query_events', { limit: 1000 }))
    expect(events).toContain('save_connector')
    expect(events + header.err + argument.err + hub.log()).not.toContain('hunter2')
  })

  test.each([
    [['connectors', 'add', 'x'], 'either --url and its address, or a program'],
    [['connectors', 'add', 'x', '--url', 'https://x', '--', 'y'], 'either --url'],
    [['connectors', 'add', 'x', '--env', 'hunter2', '--', 'y'], '--env takes NAME=VALUE.'],
    [['connectors', 'lst'], 'There is no command "connectors lst"'],
    [['connectors', 'import'], 'Name a file, or a program with --from'],
    [
      ['connectors', 'import', '--from', 'emacs'],
      '--from takes claude, claude-desktop, codex, gemini, vscode, cursor, opencode, not "emacs"',
    ],
    [['connectors', 'export', '--format', 'xml'], '--format takes json, claude, codex, not "xml"'],
    [['connectors', 'bind', 'a', 'b', '--priority', 'high'], '--priority takes a whole number'],
    [['connectors', 'bind', 'a', 'b', '--overrides', '{'], '--overrides takes a JSON object'],
  ])('explains the error in %j', async (argv, sentence) => {
    const { code, err } = await signalbox(...argv)
    expect(err).toContain(sentence)
    expect(code).toBe(2)
  })
})

describe('a binding', () => {
  test('is created, listed and removed, and a label that is in use is reported with both connectors', async () => {
    await signalbox('connectors', 'add', 'notes', '--', 'node', memory)
    await signalbox(
      'connectors',
      'add',
      'github',
      '--url',
      'http://127.0.0.1:9/mcp',
      '-H',
      'Authorization: Bearer ${NONE}',
    )
    await signalbox('new', 'build', '--', 'cat')
    onTestFinished(() => void signalbox('kill', 'build', '--remove'))
    expect((await signalbox('connectors', 'bind', 'build', 'notes', '--priority=-2')).out).toBe(
      'build can use notes as notes.',
    )
    const taken = await signalbox('connectors', 'bind', 'build', 'github', '--label', 'notes')
    expect(taken.err).toContain(
      '"github" would be the mount "notes", which is taken by the mount "notes" of the connector "notes"',
    )
    const other = await signalbox('connectors', 'bind', 'build', 'github', '--overrides', '{"strict": false}', '--json')
    expect(JSON.parse(other.out)).toMatchObject({
      label: 'github',
      overrides: { strict: false },
      resolved: { missing: ['NONE'] },
    })
    expect((await signalbox('connectors', 'bindings', 'build')).out).toMatch(
      /github .*strict +the hub has no NONE\nnotes .*-2/,
    )
    expect((await signalbox('connectors', 'unbind', 'build', 'github')).code).toBe(0)
    expect((await signalbox('connectors', 'rm', 'notes')).out).toBe(
      'Deleted notes. These sessions lost its tools: build.',
    )
    expect((await signalbox('connectors', 'bindings', 'build')).out).toContain('build has no connectors')
  })
})

describe('an upstream that failed', () => {
  test('is shown with its stderr and its session, and can be restarted', async () => {
    const ready = join(temporaryDirectory(), 'ready')
    const script = `[ -e ${ready} ] || { read line; printf 'no\\tshelf\\033[2J\\n' >&2; exit 3; }; exec node ${memory}`
    await signalbox('connectors', 'add', 'late', '--', 'sh', '-c', script)
    expect(await signalbox('connectors', 'restart', 'late')).toMatchObject({
      code: 5,
      err: expect.stringContaining('No upstream of "late" runs. It is bound to no session that runs') as string,
    })
    await callTool(hub, 'create_session', { name: 'shelf', command: 'cat', connectors: ['late'] })
    onTestFinished(() => void signalbox('kill', 'shelf', '--remove'))
    const { workspace_path: workspace } = (await callTool(hub, 'get_session', { name: 'shelf' })) as {
      workspace_path: string
    }
    await expect
      .poll(async () => (await signalbox('connectors', 'show', 'late')).out, { timeout: 30_000 })
      .toMatch(
        /upstream {3}failed: sh ended with exit code 3; it last said: [\s\S]*\n\nlate in shelf\nupstream +failed: [\s\S]*\nlast lines of stderr:\n {2}no {2}shelf\\u001b\[2J$/,
      )
    const failed = await signalbox('connectors', 'restart', 'late', '--session', 'shelf')
    expect(failed).toMatchObject({
      code: 1,
      out: expect.stringContaining('late in shelf is failed: sh ended') as string,
    })
    writeFileSync(ready, '')
    expect(await signalbox('connectors', 'restart', 'late')).toMatchObject({ code: 0, out: 'late in shelf is running' })
    expect((await signalbox('connectors', 'show', 'late')).out).toContain('speaks    MCP 2025-11-25 (legacy)')
    expect(JSON.parse((await signalbox('connectors', 'show', 'late', '--json')).out)).toMatchObject({
      name: 'late',
      bindings: [{ session: 'shelf', upstream: { is: 'running' } }],
    })
    expect((await signalbox('connectors', 'test', 'late', '--session', 'shelf')).err).toBe(
      `The server got ${workspace} as its workspace.`,
    )
  })
})

describe('import and export', () => {
  test('show the servers in the files of another program, import them with --yes, and export them again', async () => {
    const person = temporaryDirectory()
    mkdirSync(join(person, '.codex'))
    writeFileSync(
      join(person, '.codex/config.toml'),
      '[mcp_servers.one]\ncommand = "npx"\nargs = ["one"]\nenabled_tools = ["a"]\nenv = { ONE_KEY = "hunter2" }\n',
    )
    const run = (...argv: string[]) => runInProcess(argv, { env: { ...env(), HOME: person } })
    const shown = await run('connectors', 'import', '--from', 'codex')
    expect(shown).toMatchObject({ code: 0, out: 'add     one (stdio: npx)' })
    expect(shown.err).toBe(`from ${join(person, '.codex/config.toml')}\nNothing was changed. Add --yes to import them.`)
    expect(JSON.parse((await signalbox('connectors', '--json')).out)).not.toMatchObject({
      connectors: [{ name: 'one' }],
    })

    const done = await run('connectors', 'import', '--from', 'codex', '--yes')
    expect(done.err).toContain('one: Set ONE_KEY in the environment of the hub')
    const exported = await signalbox('connectors', 'export', 'one', '--format', 'codex')
    expect(exported.out).toBe(
      '[mcp_servers.one]\ncommand = "npx"\nargs = [ "one" ]\nenv_vars = [ "ONE_KEY" ]\nenabled_tools = [ "a" ]',
    )
    expect((await run('connectors', 'import', '--from', 'codex', '--yes')).out).toBe('There is nothing to import.')
    const removed = await runInProcess(['connectors', 'import', '-', '--yes'], {
      env: env(),
      stdin: 'codex mcp remove one',
    })
    expect(removed.out).toBe('remove  one')
    const text = JSON.stringify([shown, done, exported, await callTool(hub, 'query_events', { limit: 1000 })])
    expect(text).not.toContain('"hunter2"')
  })
})

const env = () => ({ SIGNALBOX_HOME: home.path })

async function signalbox(...argv: readonly string[]): Promise<CliOutcome> {
  return runInProcess(argv, { env: env() })
}
