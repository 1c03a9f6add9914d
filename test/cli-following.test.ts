/** Finding and following sessions from the shell: links, sockets, growing logs. */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInProcess } from './fixtures/run-cli.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

let home: TempHome
let hub: HubProcess
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path, env: { SIGNALBOX_SESSION_FOLLOW_BASE: 'https://box.example/hub/' } })
  env = { SIGNALBOX_HOME: home.path, SIGNALBOX_PORT: '0' }
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

test('a link starts with the configured base and has one slash between base and path', async () => {
  await start('linked', 'cat')
  const url = 'https://box.example/hub/terminal/linked'
  expect(await signalbox('url', 'linked')).toMatchObject({ code: 0, out: url })
  expect(JSON.parse((await signalbox('url', 'linked', '--json')).out)).toEqual({ session_url: url })
})

test('a socket gets its name from the flag, the environment, config.yaml, the template, or the holder', async () => {
  const templates = [{ name: 'plain' }, { name: 'named', mcp_socket: 'of-template' }]
  for (const template of templates) {
    await callTool(hub, 'save_template', { payload: { ...template, command: 'cat', args: [] } })
  }
  const variable = { SIGNALBOX_MCP_SOCKET_NAME: 'Of_environment.1' }
  const socketOf = async (template: string, more: readonly string[] = [], variables = {}) => {
    const argv = ['new', '--json', '--new-dir', '--template', template, ...more]
    const { out, err } = await runInProcess(argv, { env: { ...env, ...variables } })
    expect(err).toBe('')
    return basename(JSON.parse(out).mcp_socket)
  }
  expect(await socketOf('plain')).toMatch(/^signalbox-mcp-\d+\.sock$/)
  expect(await socketOf('named')).toBe('signalbox-mcp-of-template.sock')
  writeFileSync(join(home.path, 'config.yaml'), 'mcp_socket_name: Of_file\n')
  expect(await socketOf('named')).toBe('signalbox-mcp-Of_file.sock')
  expect(await socketOf('named', [], variable)).toBe('signalbox-mcp-Of_environment.1.sock')
  expect(await socketOf('named', ['--mcp-socket', 'Of_flag'], variable)).toBe('signalbox-mcp-Of_flag.sock')
  const refused = await signalbox('new', '--template', 'plain', '--mcp-socket', 'a/b')
  expect(refused.err).toMatch(/--mcp-socket: .*such as "build"/)
  writeFileSync(join(home.path, 'config.yaml'), '')
})

test('logs --follow --json prints one object per line', async () => {
  await start('counted', 'seq 1 3; read -r; seq 4 5; printf "the end"')
  await signalbox('wait', 'counted', '3')
  const following = signalbox('logs', 'counted', '-f', '--json')
  await signalbox('send', 'counted', '')
  const { code, out } = await following
  expect(code).toBe(0)
  const lines = out.split('\n').map((line) => JSON.parse(line) as unknown)
  expect(lines.slice(-3)).toEqual([{ line: '4' }, { line: '5' }, { line: 'the end' }])
})

test('logs --follow stays with its session when another one takes the name', async () => {
  await start('taken', 'printf first; cat')
  await signalbox('wait', 'taken', 'first')
  const shown: string[] = []
  const { promise: replaced, resolve } = Promise.withResolvers<void>()
  const following = runInProcess(['logs', 'taken', '-f', '--raw'], {
    env,
    async write(bytes) {
      shown.push(Buffer.from(bytes).toString())
      await replaced
    },
  })
  await expect.poll(() => shown).not.toEqual([])
  await signalbox('kill', 'taken')
  await start('taken', 'echo of another session')
  await signalbox('wait', 'taken', '--for', 'exit')
  resolve()
  expect(await following).toMatchObject({ code: 0, err: '' })
  expect(shown.join('')).toBe('first')
})

test('logs --raw prints the output unchanged', async () => {
  await start('coloured', String.raw`printf '\033[31mred\033[0m\nplain'; cat`)
  await signalbox('wait', 'coloured', 'plain')
  expect((await signalbox('logs', 'coloured', '--raw')).out).toBe('\x1b[31mred\x1b[0m\r\nplain')
})

test('mcp-config --json prints the settings and the file they belong into', async () => {
  const asked = ['mcp-config', '--url', 'http://127.0.0.1:7420/mcp', '--for', 'claude']
  const { text, place } = JSON.parse((await signalbox(...asked, '--json')).out)
  const plain = await signalbox(...asked)
  expect(plain).toEqual({ code: 0, out: text, err: `Put this into ${place}.` })
})

async function start(name: string, line: string): Promise<void> {
  expect(await signalbox('new', name, '--', line)).toMatchObject({ code: 0, out: name })
}

function signalbox(...argv: string[]) {
  return runInProcess(argv, { env })
}
