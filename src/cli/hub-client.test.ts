import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort, listenAnywhere } from '../../test/fixtures/ports.ts'
import { runInProcess } from '../../test/fixtures/run-cli.ts'
import { type Eras, startSdkEndpoint } from '../../test/fixtures/sdk-endpoint.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'

const token = 'sb_human_for_these_tests'

describe('signalbox call', () => {
  test('prints the structured result of a tool', async () => {
    const { env } = await endpoint()
    const { code, out } = await runInProcess(['call', 'hub_status'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ version: '9.9.9' })
  })

  test('prints the text of a tool that has no structured result, and takes its arguments from stdin too', async () => {
    const { env } = await endpoint()
    expect(await runInProcess(['call', 'greet', '{"name":"Ada"}'], { env })).toEqual({
      code: 0,
      out: 'hello, Ada',
      err: '',
    })
    expect((await runInProcess(['call', 'greet', '-'], { env, stdin: '{"name":"Bob"}' })).out).toBe('hello, Bob')
  })

  test('exits with 5 and says what the tool said when it answers with an error', async () => {
    const { env } = await endpoint()
    expect(await runInProcess(['call', 'refuse'], { env })).toEqual({
      code: 5,
      out: '',
      err: 'signalbox: Not today. Ask again tomorrow.',
    })
  })

  test('prints the whole result as JSON when asked to, of an error as well', async () => {
    const { env } = await endpoint()
    const { code, out } = await runInProcess(['call', 'refuse', '--json'], { env })
    expect(code).toBe(5)
    expect(JSON.parse(out)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
  })

  test('says what the endpoint said about a tool it does not have', async () => {
    const { env } = await endpoint()
    const { code, err } = await runInProcess(['call', 'no_such_tool'], { env })
    expect(code).not.toBe(0)
    expect(err).toContain('no_such_tool')
  })

  test('gives up on a tool that shows no sign of progress, and says how to wait longer', async () => {
    const { env } = await endpoint()
    const { code, err } = await runInProcess(['call', 'sleep', '--timeout', '0.3'], { env })
    expect(code).toBe(1)
    expect(err).toContain('did not answer in time; a call that takes long wants --timeout')
  })

  test.each(['modern', 'legacy'] as const)('talks to an endpoint that knows nothing but the %s era', async (eras) => {
    const { env } = await endpoint({ eras })
    expect((await runInProcess(['call', 'greet', '{"name":"Eve"}'], { env })).out).toBe('hello, Eve')
  })
})

describe('when the hub cannot be asked', () => {
  test('because none runs, the exit code is 4 and the advice is to start it', async () => {
    const url = await urlOfNobody()
    const { code, out, err } = await runInProcess(['status', '--url', url], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect({ code, out, err }).toEqual({
      code: 4,
      out: '',
      err: `signalbox: No hub answers at ${url}; start it with "signalbox up".`,
    })
  })

  test('because it does not accept the token, the exit code is 3 and the advice names where the token stands', async () => {
    const { url } = await startSdkEndpoint({ token })
    const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: url, SIGNALBOX_TOKEN: 'sb_human_wrong' }
    const { code, err } = await runInProcess(['token', 'list'], { env })
    expect(code).toBe(3)
    expect(err).toContain('does not accept the token of SIGNALBOX_TOKEN')
    expect(err).not.toContain('sb_human_wrong')
  })

  test('because there is no token, the exit code is 3 and the advice says where one was looked for', async () => {
    const { url } = await startSdkEndpoint({ token })
    const home = temporaryDirectory()
    const { code, err } = await runInProcess(['status', '--url', url], { env: { SIGNALBOX_HOME: home } })
    expect(code).toBe(3)
    expect(err).toContain(`there is none in ${join(home, 'token')}`)
  })

  test('with SIGNALBOX_TOKEN set, the token file is not tried in its place', async () => {
    const { url } = await startSdkEndpoint({ token })
    const home = temporaryDirectory()
    writeFileSync(join(home, 'token'), token)
    const env = { SIGNALBOX_HOME: home, SIGNALBOX_URL: url }
    expect((await runInProcess(['status'], { env })).code).toBe(0)
    expect((await runInProcess(['status'], { env: { ...env, SIGNALBOX_TOKEN: 'sb_agent_other' } })).code).toBe(3)
  })

  test.each([
    [403, 3, 'add that name to allowed_hosts'],
    [404, 1, 'There is no MCP endpoint at'],
    [429, 1, 'wait a minute'],
    [503, 4, 'is starting or stopping: try again'],
  ])('because it answers %i, the exit code is %i', async (status, exit, advice) => {
    const url = await urlThatAnswers(status)
    const { code, err } = await runInProcess(['status', '--url', url], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect(err).toContain(advice)
    expect(code).toBe(exit)
  })
})

describe('signalbox probe', () => {
  test('shows every revision at work against an endpoint that speaks them all', async () => {
    const { env, queries } = await endpoint()
    const { code, out } = await runInProcess(['probe'], { env })
    expect(out.split('\n').map((line) => line.replace(/\d+$/, 'N'))).toEqual([
      'revision    handshake  tools  call  ms',
      '2024-11-05  ok         4      ok    N',
      '2025-03-26  ok         4      ok    N',
      '2025-06-18  ok         4      ok    N',
      '2025-11-25  ok         4      ok    N',
      '2026-07-28  ok         4      ok    N',
    ])
    expect(code).toBe(0)
    expect(new Set(queries)).toEqual(new Set(['?toolsets=all']))
  })

  test('fails when one revision does not work, and says which', async () => {
    const { env } = await endpoint({ eras: 'modern' })
    const { code, out, err } = await runInProcess(['probe', '--json'], { env })
    expect(code).toBe(1)
    const { revisions } = JSON.parse(out)
    expect(revisions.map(({ revision, call }: { revision: string; call: boolean }) => [revision, call])).toEqual([
      ['2024-11-05', false],
      ['2025-03-26', false],
      ['2025-06-18', false],
      ['2025-11-25', false],
      ['2026-07-28', true],
    ])
    expect(err).toMatch(/^signalbox: 2024-11-05: .+/)
  })

  test('does not take an older revision for the one it asked for', async () => {
    const { env } = await endpoint({ eras: 'legacy' })
    const { code, out } = await runInProcess(['probe'], { env })
    expect(code).toBe(1)
    expect(out).toMatch(/^2025-11-25 +ok +4 +ok/m)
    expect(out).toMatch(/^2026-07-28 +failed +failed +failed/m)
  })

  test('does not ask five times where nobody answers', async () => {
    const { code, out, err } = await runInProcess(['probe', await urlOfNobody()], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toContain('No hub answers')
  })
})

async function endpoint(options: { eras?: Eras } = {}) {
  const { url, queries } = await startSdkEndpoint({ token, ...options })
  return { env: { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token }, queries }
}

async function urlOfNobody(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/mcp`
}

async function urlThatAnswers(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listenAnywhere(server)}/mcp`
}
