import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Visit } from '../../test/worlds/http-upstream.ts'
import { answerJson, serveHttp } from '../../test/worlds/http-upstream.ts'
import { openUpstream } from '../../test/worlds/open-upstream.ts'
import { caller } from '../../test/worlds/scripted-upstream.ts'
import { startSdkEndpoint } from '../../test/worlds/sdk-endpoint.ts'
import { compileCache } from '../../test/harness/compile-cache.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { until } from '../../test/fixtures/until.ts'
import type { UpstreamTarget } from './upstream-types.ts'

const program = fileURLToPath(new URL('../../test/fixtures/library-program.ts', import.meta.url))
const cwd = import.meta.dirname

function library(options: Partial<UpstreamTarget> = {}) {
  return openUpstream(
    { transport: 'stdio', command: process.execPath, args: [program], env: compileCache, cwd },
    options,
  )
}

test('a real program is started, listed and called, and its answers are passed on unchanged', async () => {
  const { upstream, call, notices, breaches } = library()
  expect(await upstream.request('tools/list', {}, caller())).toMatchObject({ tools: { length: 8 } })
  expect(await call('echo')).toMatchObject({
    content: [{ text: expect.stringContaining('"arguments":{"a":1}') }],
    novel: { kept: true },
  })
  const steps: unknown[] = []
  await call('count', { onProgress: (params) => void steps.push(params) })
  expect(steps).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }])
  const onAsk = async () => ({ action: 'accept', content: { title: 'Emma' } })
  expect(await call('ask', { onAsk })).toMatchObject({ content: [{ text: expect.stringContaining('Emma') }] })
  expect(await call('twice')).toMatchObject({ content: [{ text: 'first' }] })
  await call('grow')
  expect(notices).toEqual(['notifications/tools/list_changed'])
  expect(await upstream.request('tools/list', {}, caller())).toMatchObject({ tools: { length: 9 } })
  expect(upstream.dropped).toBe(2)
  expect(breaches).toHaveLength(3)
  expect(upstream.breach).toEqual({ sentence: breaches.at(-1), at: expect.stringMatching(/^\d{4}-.*Z$/) as string })
  await upstream.restart()
  expect(upstream.breach?.sentence).toBe(breaches.at(-1))
})

test('the failure of a crashed program quotes its error, and its last whole lines can be read', async () => {
  const path = join(temporaryDirectory(), 'crash.mjs')
  writeFileSync(path, "console.error('line\\n'.repeat(9_000)); throw new Error('the shelf is empty')")
  const reach = { transport: 'stdio', command: process.execPath, args: [path], env: {}, cwd: '/' } as const
  const { upstream } = openUpstream(reach)
  await expect(upstream.ready()).rejects.toThrow(/exit code 1; it last said: Error: the shelf is empty$/)
  expect(upstream.status).toMatchObject({
    is: 'failed',
    reason: expect.stringContaining('the shelf is empty') as string,
  })
  const { stderr } = upstream
  expect(stderr).toMatch(/^line\nline\n[\s\S]*Error: the shelf is empty\n[\s\S]*Node\.js v\S+$/)
  expect(stderr.length).toBeLessThanOrEqual(4_000)
})

test('a secret at the place where the last output is cut is not shown in part', async () => {
  const secret = 'swordfish-swordfish'
  const script = `read line; echo '${'x'.repeat(290)} ${secret}' >&2; exit 1`
  const { upstream, redactor } = openUpstream({
    transport: 'stdio',
    command: '/bin/sh',
    args: ['-c', script],
    env: {},
    cwd: '/',
  })
  redactor.addSecret(secret)
  const failure = await upstream.ready().catch(String)
  expect(failure).toContain('exit code 1; it last said: xxx')
  expect(failure).not.toContain('sword')
})

test('a real program that dies in the middle of a call runs again for the next call', async () => {
  const { upstream, call } = library()
  const other = call('hang')
  await expect(call('die')).rejects.toThrow(/ended while the call ran.*exit code 3.*the shelf fell over/)
  await expect(other).rejects.toThrow('ended while the call ran')
  expect(await call('echo')).toMatchObject({ novel: { kept: true } })
  expect(upstream.status).toEqual({ is: 'running' })
})

test('a real program that hangs is detected and replaced, and a safe call is sent again', async () => {
  const { call } = library({ heartbeatMs: 500 })
  const { pid } = (await call('pid')) as { pid: number }
  process.kill(pid, 'SIGSTOP')
  const answer = (await call('pid', { isSafe: true })) as { pid: number }
  expect(answer.pid).not.toBe(pid)
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('a real program that is only slow is left alone', async () => {
  const { call } = library({ heartbeatMs: 1_000, callMs: 3_500 })
  await expect(call('hang')).rejects.toThrow('call_ms')
})

test('the error of a missing command names the command', async () => {
  const { upstream } = openUpstream({ transport: 'stdio', command: 'no-such-program', args: [], env: {}, cwd })
  await expect(upstream.ready()).rejects.toThrow('The command "no-such-program" was not found.')
})

test.each(['legacy', 'modern', 'both'] as const)('detects an endpoint of the SDK that speaks %s', async (eras) => {
  const { url } = await startSdkEndpoint({ token: 'secret-token', eras })
  const { upstream, call } = openUpstream({ transport: 'http', url, headers: { authorization: 'Bearer secret-token' } })
  expect(await upstream.ready()).toMatchObject({ era: eras === 'legacy' ? 'legacy' : 'modern' })
  expect(await upstream.request('tools/list', {}, caller())).toMatchObject({ tools: { length: 4 } })
  expect(await call('hub_status')).toMatchObject({ structuredContent: { version: '9.9.9' } })
  const leaving = new AbortController()
  const sleeping = call('sleep', { signal: leaving.signal })
  leaving.abort()
  await expect(sleeping).rejects.toMatchObject({ code: -32800 })
})

test('the error of an endpoint that requires a token says so and does not contain the token', async () => {
  const { url } = await startSdkEndpoint({ token: 'secret-token' })
  const { upstream } = openUpstream({ transport: 'http', url, headers: { authorization: 'Bearer wrong-token' } })
  const error = await upstream.ready().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: expect.stringMatching(/token is missing or wrong \(401/) })
  expect(JSON.stringify([error, upstream.status])).not.toContain('wrong-token')
})

/** A legacy server with connections. It answers every call with the number of calls so far. */
function shop() {
  let session = 0
  let calls = 0
  return {
    forget: () => void session++,
    answer(visit: Visit): void {
      const { message, method, headers, response } = visit
      if (method === 'GET') return void response.writeHead(405).end()
      if (message?.method === 'server/discover') return void response.writeHead(400).end()
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'shop', version: '1' } }
      if (message?.method === 'initialize') return answerJson(visit, result, { 'mcp-session-id': `s${session}` })
      if (headers['mcp-session-id'] !== `s${session}`) return void response.writeHead(404).end()
      if (message?.id === undefined) return void response.writeHead(202).end()
      answerJson(visit, { content: [], calls: ++calls })
    },
  }
}

test('a server that no longer knows the connection is initialised again, and only a safe call is sent again', async () => {
  const { forget, answer } = shop()
  const { url, visits } = await serveHttp(answer)
  const { call } = openUpstream({ transport: 'http', url, headers: {} })
  expect(await call('buy')).toMatchObject({ calls: 1 })
  forget()
  expect(await call('look', { isSafe: true })).toMatchObject({ calls: 2 })
  forget()
  await expect(call('buy')).rejects.toThrow('no longer knows the connection')
  expect(await call('buy')).toMatchObject({ calls: 3 })
  expect(visits.filter(({ message }) => message?.method === 'initialize')).toHaveLength(3)
})

test('a restarted server is found again, and an unsent call is sent then', async () => {
  const first = await serveHttp(shop().answer)
  const { upstream, call } = openUpstream({ transport: 'http', url: first.url, headers: {} })
  expect(await call('buy')).toMatchObject({ calls: 1 })
  await first.stop()
  // A kept socket may accept the call before it is found dead. Then the call continues because it is safe.
  const looking = call('look', { isSafe: true })
  await until(() => upstream.status.reason !== undefined)
  await serveHttp(shop().answer, { port: Number(new URL(first.url).port) })
  expect(await looking).toMatchObject({ calls: 1 })
})

test('when a connection breaks in the middle of a call, a safe call is repeated and another call fails with an unknown outcome', async () => {
  const { answer } = shop()
  let breaks = 2
  const { url, visits } = await serveHttp((visit) => {
    if (visit.message?.method === 'tools/call' && breaks-- > 0) visit.response.destroy()
    else answer(visit)
  })
  const { call } = openUpstream({ transport: 'http', url, headers: {} })
  await expect(call('buy')).rejects.toThrow('it is not known whether it took effect')
  expect(await call('look', { isSafe: true })).toMatchObject({ calls: 1 })
  expect(visits.filter(({ message }) => message?.method === 'tools/call')).toHaveLength(3)
})
