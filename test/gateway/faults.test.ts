/** Faulty upstreams: the agent gets one clear answer each time, and other mounts are not affected. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { metaKey, modernVersion } from '../../src/mcp/wire.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { until } from '../fixtures/until.ts'
import { patience } from '../worlds/own-hub.ts'
import {
  type ConnectorArgs,
  type GatewayHub,
  overStdio,
  startGatewayHub,
  upstreamProgram,
} from '../worlds/gateway-hub.ts'
import { type HttpUpstream, startHttpUpstream } from '../worlds/upstream-process.ts'
import type { Answer, RawClient } from './raw-client.ts'
import { connectEndpoint } from './raw-wires.ts'
import { noticesOf, toolsOf } from './side-by-side.ts'
import { type Kind, largeNumbers } from './upstreams/fault-tools.ts'

/** The time limits of calls; by default there is none. `hasty` is for faults without an answer. */
const options = { faulty: { call_ms: 60_000, handshake_ms: 5_000 }, hasty: { call_ms: 1_000, handshake_ms: 5_000 } }

let home: TempHome
let hub: GatewayHub
beforeAll(async () => {
  home = await createTempHome()
  hub = await startGatewayHub()
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

const over: readonly { kind: Kind; name: string; transport: string }[] = [
  { kind: 'stdio', name: 'stdio', transport: 'stdio' },
  { kind: 'http', name: 'HTTP', transport: 'http' },
  { kind: 'modern', name: 'HTTP as of 2026-07-28', transport: 'http' },
  { kind: 'sse', name: 'SSE', transport: 'sse' },
]
const posted: readonly Kind[] = ['http', 'modern', 'sse']
const fine: readonly Fault<string>[] = [
  { fault: 'fault_answers_twice', expected: 'the first answer' },
  { fault: 'fault_one_byte', expected: 'byte by byte' },
  { fault: 'fault_chatters', expected: 'all in one packet' },
  { fault: 'fault_noise', expected: 'after the noise', kinds: ['stdio'] },
  { fault: 'fault_forgets_safely', expected: 'as if nothing had happened', kinds: ['http'] },
  // A call that was refused with 401 did not run, so it may be repeated.
  { fault: 'fault_unauthorized_once', expected: 'welcome back', kinds: posted },
]

const broken: readonly Fault<RegExp>[] = [
  { fault: 'fault_invalid_json', expected: /JSON/ },
  { fault: 'fault_floods', expected: /bytes/ },
  { fault: 'fault_nests', expected: /nested deeper than 200 levels/ },
  { fault: 'fault_hangs_up', expected: /ended|closed|hung up|broke|cut|lost/i },
  { fault: 'fault_breaks_schema', expected: /content/ },
  { fault: 'fault_server_error', expected: /500/, kinds: posted },
]

interface Fault<Expected> {
  readonly fault: string
  readonly expected: Expected
  /** The transports for which it makes sense. Default: all. */
  readonly kinds?: readonly Kind[]
}

describe.each(over)('over $name', ({ kind, transport }) => {
  const isPossible = ({ kinds }: Fault<unknown>) => kinds?.includes(kind) ?? true
  let upstream: HttpUpstream | undefined
  let endpoint: Endpoint
  let agent: RawClient
  let journal: string
  beforeAll(async () => {
    journal = join(home.path, `${kind}.jsonl`)
    const program = upstreamProgram('faulty-upstream', '--kind', kind, '--journal', journal)
    upstream = kind === 'stdio' ? undefined : await startHttpUpstream(program)
    const connector = (own: object) =>
      upstream ? { transport, base_url: upstream.url, options: own } : overStdio(program, { ...own })
    endpoint = await hub.agentOf(`agent-over-${kind}`, {
      faulty: connector(options.faulty),
      hasty: connector(options.hasty),
      good: goodUpstream,
    })
    agent = await connectEndpoint(endpoint)
    await untilUp(agent, 'good')
  })
  // The test before may have ended it.
  beforeEach(() => untilUp(agent, 'faulty'))
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await upstream?.[Symbol.asyncDispose]()
  })

  test.each(fine.filter(isPossible))('$fault does no harm: the answer arrives once', async ({ fault, expected }) => {
    expect(textOf(await callFaulty(fault))).toBe(expected)
    await expectOthersAreFine()
  })

  test.each(broken.filter(isPossible))('$fault is reported in one clear answer', async ({ fault, expected }) => {
    expect(sentenceOf(await callFaulty(fault))).toMatch(expected)
    await expectOthersAreFine()
  })

  test.each(['fault_hangs', 'fault_wrong_id'])('waits for %s as long as the connector allows', async (fault) => {
    await untilUp(agent, 'hasty')
    expect(sentenceOf(await call(`hasty_${fault}`))).toMatch(/1000 ms|without/)
    await expectOthersAreFine()
  })

  test('errors of the upstream are passed on unchanged, and cannot speak for the policy', async () => {
    const { error } = await callFaulty('fault_error')
    expect(error).toEqual({ code: -32099, message: 'not today', data: { until: 'tomorrow' } })
    expect((await callFaulty('fault_reserved_code')).error).toMatchObject({ code: -32952 })
  })

  test('numbers that JavaScript would change arrive unchanged, and are refused from clients', async () => {
    expect(await textOfCall('faulty_fault_large_numbers', '{}')).toContain(`"structuredContent":${largeNumbers}`)
    const called = count('tools/call', 'echo')
    const refused = JSON.parse(await textOfCall('faulty_echo', '{"text":"x","n":1234567890123456789}')) as unknown
    expect(refused).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('the number 1234567890123456789 would lose digits') },
    })
    expect(count('tools/call', 'echo')).toBe(called)
  })

  test('progress that arrives in one packet with the answer is complete', async () => {
    const before = noticesOf(agent, 'notifications/progress').length
    await callFaulty('fault_chatters', { _meta: { progressToken: 'chatter' } })
    const steps = noticesOf(agent, 'notifications/progress').slice(before)
    expect(steps.map(({ params }) => params?.['progress'])).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
  })

  test('a change of its tools reaches the agent', async () => {
    const before = noticesOf(agent, 'notifications/tools/list_changed').length
    await callFaulty('fault_changes_tools')
    await expect
      .poll(() => noticesOf(agent, 'notifications/tools/list_changed').length, patience)
      .toBeGreaterThan(before)
    await expect
      .poll(() => toolsOf(agent), patience)
      .toContainEqual(expect.objectContaining({ name: 'faulty_passing' }))
    expect(textOf(await call('faulty_passing'))).toBe('still here')
  })

  test('a call that its caller cancels is cancelled at the upstream', async () => {
    const called = count('tools/call', 'fault_hangs')
    const takenBack = () => count('notifications/cancelled') + count('hung up', 'fault_hangs')
    const before = takenBack()
    void callFaulty('fault_hangs')
    await until(() => count('tools/call', 'fault_hangs') > called)
    await agent.notify('notifications/cancelled', { requestId: agent.lastId, reason: 'changed my mind' })
    await until(() => takenBack() > before)
    await expectOthersAreFine()
  })

  if (kind === 'stdio') {
    test('a process that is killed in the middle of a call is restarted, and the call is not repeated', async () => {
      const before = count('fault_killed')
      expect(sentenceOf(await callFaulty('fault_killed'))).toMatch(/ended|exit|killed|SIGKILL|closed/i)
      await expectOthersAreFine()
      await untilUp(agent, 'faulty')
      expect(count('fault_killed')).toBe(before + 1)
    })
  }

  if (kind === 'http') {
    test('a call that may have run is not repeated when the connection was forgotten', async () => {
      const before = count('fault_forgets')
      expect(sentenceOf(await callFaulty('fault_forgets'))).toMatch(/forgot|404|connection|session/i)
      expect(count('fault_forgets')).toBe(before + 1)
      await expectOthersAreFine()
    })
  }

  function call(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return agent.request('tools/call', { name, arguments: {}, ...more })
  }

  function callFaulty(tool: string, more?: Readonly<Record<string, unknown>>): Promise<Answer> {
    return call(`faulty_${tool}`, more)
  }

  /** The answer as text, to arguments given as text. */
  async function textOfCall(name: string, args: string): Promise<string> {
    const meta = {
      [metaKey.protocolVersion]: modernVersion,
      [metaKey.clientInfo]: { name: 'raw', version: '1' },
      [metaKey.clientCapabilities]: {},
    }
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${endpoint.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernVersion,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${JSON.stringify(meta)}}}`,
    })
    return response.text()
  }

  async function expectOthersAreFine(): Promise<void> {
    expect(textOf(await callEcho(agent, 'good'))).toBe('hello')
  }

  /** Counts the messages with these words that reached the upstream. */
  function count(...words: readonly string[]): number {
    const lines = readFileSync(journal, 'utf8').split('\n')
    return lines.filter((line) => words.every((word) => line.includes(`"${word}"`))).length
  }
})

test.each([
  ['dies', /cannot live like this|exit|ended/],
  ['hangs', /1000 ms/],
  ['babbles', /JSON|1000 ms/],
  ['refuses', /Not with you/],
])('an upstream that %s in its handshake delays no other, and its state has the reason', async (handshake, why) => {
  const program = upstreamProgram('faulty-upstream', '--kind', 'stdio', '--handshake', handshake)
  const limit = { handshake_ms: why.source.includes('ms') ? 1_000 : 15_000 }
  await using agent = await connectAgent(`agent-${handshake}`, { bad: overStdio(program, limit), good: goodUpstream })
  const tools = await toolsOf(agent)
  expect(tools.map(({ name }) => name)).toContain('hub_status')
  await untilUp(agent, 'good')
  const stateOf = async () => {
    const { result = {} } = await agent.request('resources/read', { uri: 'resource://mounts/bad' })
    return JSON.parse((result['contents'] as readonly { text: string }[])[0]!.text) as unknown
  }
  await expect.poll(stateOf, patience).toMatchObject({ state: 'failed', error: expect.stringMatching(why) })
})

/** One process for all sessions. */
const goodUpstream: ConnectorArgs = overStdio(upstreamProgram('plain-upstream', '--stdio'), { shared: true })

async function connectAgent(session: string, connectors: Readonly<Record<string, ConnectorArgs>>): Promise<RawClient> {
  return connectEndpoint(await hub.agentOf(session, connectors))
}

function callEcho(agent: RawClient, mount: string): Promise<Answer> {
  return agent.request('tools/call', { name: `${mount}_echo`, arguments: { text: 'hello' } })
}

async function untilUp(agent: RawClient, mount: string): Promise<void> {
  await until(async () => textOf(await callEcho(agent, mount)) === 'hello')
}

function textOf({ result }: Answer): string {
  const content = result?.['content'] as readonly { text: string }[] | undefined
  return result?.['isError'] === true ? '' : (content?.[0]?.text ?? '')
}

/** The failure message that the agent gets, as a result or an error. */
function sentenceOf({ result, error }: Answer): string {
  if (error) return error.message
  if (result?.['isError'] !== true) throw new Error(`This is not a failure: ${JSON.stringify(result).slice(0, 300)}`)
  return (result['content'] as readonly { text: string }[])[0]!.text
}
