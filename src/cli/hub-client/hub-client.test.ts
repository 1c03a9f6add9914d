import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort, listenAnywhere } from '../../../test/fixtures/ports.ts'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { type Eras, startSdkEndpoint } from '../../../test/worlds/sdk-endpoint.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'

const token = 'sb_human_for_these_tests'

describe('signalbox call', () => {
  test('prints the structured result of a tool', async () => {
    const { env } = await endpoint()
    const { code, out } = await runInProcess(['call', 'hub_status'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ version: '9.9.9' })
  })

  test('prints the text of a tool without a structured result, and reads arguments from stdin', async () => {
    const { env } = await endpoint()
    expect(await runInProcess(['call', 'greet', '{"name":"Ada"}'], { env })).toEqual({
      code: 0,
      out: 'hello, Ada',
      err: '',
    })
    expect((await runInProcess(['call', 'greet', '-'], { env, stdin: '{"name":"Bob"}' })).out).toBe('hello, Bob')
  })

  test('exits with 5 when the tool answers with an error, which is foreign text for an agent', async () => {
    const { env } = await endpoint({ token: 'sb_agent_for_these_tests' })
    expect(await runInProcess(['call', 'refuse'], { env })).toEqual({
      code: 5,
      out: '',
      err: 'signalbox: Not today, for password: [redacted].\nAsk again tomorrow.',
    })
  })

  test('prints the error of a tool of the hub in full', async () => {
    const { env } = await endpoint()
    expect((await runInProcess(['call', 'refuse'], { env })).err).toContain('for password: hunter2.')
  })

  test('prints the whole result as JSON with --json, even for an error', async () => {
    const { env } = await endpoint()
    const { code, out } = await runInProcess(['call', 'refuse', '--json'], { env })
    expect(code).toBe(5)
    expect(JSON.parse(out)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
  })

  test('prints the error of the endpoint for an unknown tool', async () => {
    const { env } = await endpoint()
    const { code, err } = await runInProcess(['call', 'no_such_tool'], { env })
    expect(code).not.toBe(0)
    expect(err).toContain('no_such_tool')
  })

  test('is cancelled after --timeout, and says how to wait longer', async () => {
    const { env } = await endpoint()
    const { code, err } = await runInProcess(['call', 'sleep', '--timeout', '0.3'], { env })
    expect(code).toBe(1)
    expect(err).toContain(
      'had no answer after 0.3 s and was cancelled. Give it longer with --timeout, or leave --timeout out.',
    )
  })

  test('explains that an endpoint does not speak 2026-07-28', async () => {
    const modern = await endpoint({ eras: 'modern' })
    expect((await runInProcess(['call', 'greet', '{"name":"Eve"}'], { env: modern.env })).out).toBe('hello, Eve')
    const { code, err } = await runInProcess(['call', 'greet'], { env: (await endpoint({ eras: 'legacy' })).env })
    expect(code).toBe(1)
    expect(err).toMatch(
      /does not accept a request of MCP 2026-07-28: .+ "signalbox probe \S+" shows which revisions it speaks/,
    )
  })
})

describe('a failed call', () => {
  test('exits with 4 and advises to start the hub if none runs', async () => {
    const url = await unusedUrl()
    const { code, out, err } = await runInProcess(['status', '--url', url], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect({ code, out, err }).toEqual({
      code: 4,
      out: '',
      err: `signalbox: No hub answers at ${url}. Start it with "signalbox up", or correct the address in --url or SIGNALBOX_URL.`,
    })
  })

  test('exits with 3 and names the source of the token if the hub does not accept it', async () => {
    const { url } = await startSdkEndpoint({ token })
    const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: url, SIGNALBOX_TOKEN: 'sb_human_wrong' }
    const { code, err } = await runInProcess(['token', 'list'], { env })
    expect(code).toBe(3)
    expect(err).toContain(
      'does not accept the token of SIGNALBOX_TOKEN: it is unknown, expired or revoked. Issue another',
    )
    expect(err).not.toContain('sb_human_wrong')
  })

  test('exits with 3 and says how to name a token if there is none for another hub', async () => {
    const { url } = await startSdkEndpoint({ token })
    const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: url }
    const { code, err } = await runInProcess(['status'], { env })
    expect(code).toBe(3)
    expect(err).toContain('needs a token. Set SIGNALBOX_TOKEN')
  })

  test('succeeds with a token that is named, since the token file is only for its own hub', async () => {
    const { url } = await startSdkEndpoint({ token })
    const home = temporaryDirectory()
    const file = join(home, 'token')
    writeFileSync(file, token)
    const env = { SIGNALBOX_HOME: home, SIGNALBOX_URL: url }
    expect((await runInProcess(['status'], { env })).code).toBe(3)
    expect((await runInProcess(['status', '--token-file', file], { env })).code).toBe(0)
    expect((await runInProcess(['status'], { env: { ...env, SIGNALBOX_TOKEN: 'sb_agent_other' } })).code).toBe(3)
  })

  test.each([
    [403, 3, 'Add that name to allowed_hosts'],
    [404, 1, 'There is no MCP endpoint at'],
    [429, 1, 'Wait a minute'],
    [503, 4, 'is starting or stopping. Try again'],
  ])('with HTTP status %i exits with %i', async (status, exit, advice) => {
    const url = await urlThatAnswers(status)
    const { code, err } = await runInProcess(['status', '--url', url], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect(err).toContain(advice)
    expect(code).toBe(exit)
  })
})

describe('signalbox probe', () => {
  test('reports ok for every revision of an endpoint that speaks them all', async () => {
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

  test('fails when one revision does not work, and names it', async () => {
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

  test('does not accept an older revision than it asked for', async () => {
    const { env } = await endpoint({ eras: 'legacy' })
    const { code, out } = await runInProcess(['probe'], { env })
    expect(code).toBe(1)
    expect(out).toMatch(/^2025-11-25 +ok +4 +ok/m)
    expect(out).toMatch(/^2026-07-28 +failed +failed +failed/m)
  })

  test('stops after the first revision if no hub answers', async () => {
    const { code, out, err } = await runInProcess(['probe', await unusedUrl()], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
    })
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toContain('No hub answers')
  })
})

async function endpoint(given: { eras?: Eras; token?: string } = {}) {
  const options = { token, ...given }
  const { url, queries } = await startSdkEndpoint(options)
  return { env: { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_URL: url, SIGNALBOX_TOKEN: options.token }, queries }
}

async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/mcp`
}

async function urlThatAnswers(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listenAnywhere(server)}/mcp`
}
