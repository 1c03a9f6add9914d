/** Upstreams that go wrong: the agent gets one clear answer each time, and the other mounts do not notice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import { until } from '../fixtures/until.ts'
import { patience } from '../http/own-hub.ts'
import { type ConnectorArgs, type GatewayHub, overStdio, startGatewayHub, upstreamProgram } from './gateway-hub.ts'
import { type HttpUpstream, startHttpUpstream } from './http-upstream.ts'
import type { Answer, RawClient } from './raw-client.ts'
import { connectEndpoint } from './raw-wires.ts'
import { noticesOf, toolsOf } from './side-by-side.ts'

/** So long a call may take before the hub gives it up; the default has no limit. */
const options = { call_ms: 3_000, handshake_ms: 5_000 }

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

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  let upstream: HttpUpstream | undefined
  let agent: RawClient
  let journal: string
  beforeAll(async () => {
    journal = join(home.path, `${transport}.jsonl`)
    const program = upstreamProgram('faulty-upstream', `--${transport}`, '--journal', journal)
    upstream = transport === 'http' ? await startHttpUpstream(program) : undefined
    const faulty = upstream ? { transport, base_url: upstream.url, options } : overStdio(program, options)
    agent = await connectAgent(`agent-over-${transport}`, { faulty, good: goodUpstream })
    await until(async () => textOf(await callEcho(agent, 'good')) === 'hello')
  })
  // The one before may have ended it.
  beforeEach(() => until(async () => textOf(await callEcho(agent, 'faulty')) === 'hello'))
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await upstream?.[Symbol.asyncDispose]()
  })

  const fine: readonly (readonly [fault: string, text: string])[] = [
    ['fault_answers_twice', 'the first answer'],
    ['fault_one_byte', 'byte by byte'],
    ['fault_chatters', 'all in one packet'],
    ...(transport === 'stdio' ? ([['fault_noise', 'after the noise']] as const) : []),
    ...(transport === 'http' ? ([['fault_forgets_safely', 'as if nothing had happened']] as const) : []),
    // A call that was refused with 401 was not made: it may be made again.
    ...(transport === 'http' ? ([['fault_unauthorized_once', 'welcome back']] as const) : []),
  ]
  test.each(fine)('%s is got over: the answer comes, once', async (fault, text) => {
    expect(textOf(await callFaulty(fault))).toBe(text)
    await expectOthersAreFine()
  })

  const broken: readonly (readonly [fault: string, sentence: RegExp])[] = [
    ['fault_hangs', /3 ?s|3000 ?ms|time|long/i],
    ['fault_wrong_id', /3 ?s|3000 ?ms|time|long|no answer|without/i],
    ['fault_invalid_json', /JSON/],
    ['fault_floods', /large|long|big|bytes|MB/i],
    ['fault_hangs_up', /ended|closed|hung up|broke|cut|lost/i],
    ['fault_breaks_schema', /content/],
    ...(transport === 'http' ? ([['fault_server_error', /500/]] as const) : []),
  ]
  test.each(broken)('%s is told in one clear answer', async (fault, sentence) => {
    const answer = await callFaulty(fault)
    expect(sentenceOf(answer)).toMatch(sentence)
    await expectOthersAreFine()
  })

  test('its own errors come as they are, and it cannot speak for the policy', async () => {
    const { error } = await callFaulty('fault_error')
    expect(error).toEqual({ code: -32099, message: 'not today', data: { until: 'tomorrow' } })
    expect((await callFaulty('fault_reserved_code')).error).toMatchObject({ code: -32952 })
  })

  test('progress that comes in one packet with the answer is complete', async () => {
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

  test('a call that its caller takes back is taken back from the upstream', async () => {
    const taken = agent.request('tools/call', { name: 'faulty_fault_hangs', arguments: {} })
    await until(() => reached('tools/call', 'fault_hangs'))
    await agent.notify('notifications/cancelled', { requestId: agent.lastId, reason: 'changed my mind' })
    await until(() => reached('notifications/cancelled'))
    void taken
    await expectOthersAreFine()
  })

  if (transport === 'stdio') {
    test('killed in mid-call it is started anew, and the call is not made twice', async () => {
      const before = count('fault_killed')
      expect(sentenceOf(await callFaulty('fault_killed'))).toMatch(/ended|exit|killed|SIGKILL|closed/i)
      await expectOthersAreFine()
      await until(async () => textOf(await callEcho(agent, 'faulty')) === 'hello')
      expect(count('fault_killed')).toBe(before + 1)
    })
  }

  if (transport === 'http') {
    test('what may have been done is not done again when the connection was forgotten', async () => {
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

  async function expectOthersAreFine(): Promise<void> {
    expect(textOf(await callEcho(agent, 'good'))).toBe('hello')
  }

  function reached(...words: readonly string[]): boolean {
    return linesWith(words).length > 0
  }

  function count(word: string): number {
    return linesWith([word]).length
  }

  function linesWith(words: readonly string[]): readonly string[] {
    const lines = readFileSync(journal, 'utf8').split('\n')
    return lines.filter((line) => words.every((word) => line.includes(`"${word}"`)))
  }
})

test.each([
  ['dies', /cannot live like this|exit|ended/],
  ['hangs', /1000 ms/],
  ['babbles', /JSON|1000 ms/],
  ['refuses', /Not with you/],
])('an upstream that %s in its handshake delays nobody, and it is told why', async (handshake, why) => {
  const program = upstreamProgram('faulty-upstream', '--stdio', '--handshake', handshake)
  const limit = { handshake_ms: why.source.includes('ms') ? 1_000 : 15_000 }
  await using agent = await connectAgent(`agent-${handshake}`, { bad: overStdio(program, limit), good: goodUpstream })
  const tools = await toolsOf(agent)
  expect(tools.map(({ name }) => name)).toContain('hub_status')
  await until(async () => textOf(await callEcho(agent, 'good')) === 'hello')
  const stateOf = async () => {
    const { result = {} } = await agent.request('resources/read', { uri: 'resource://mounts/bad' })
    return JSON.parse((result['contents'] as readonly { text: string }[])[0]!.text) as unknown
  }
  await expect.poll(stateOf, patience).toMatchObject({ state: 'failed', error: expect.stringMatching(why) })
})

const goodUpstream: ConnectorArgs = overStdio(upstreamProgram('plain-upstream', '--stdio'))

async function connectAgent(session: string, connectors: Readonly<Record<string, ConnectorArgs>>): Promise<RawClient> {
  return connectEndpoint(await hub.agentOf(session, connectors))
}

function callEcho(agent: RawClient, mount: string): Promise<Answer> {
  return agent.request('tools/call', { name: `${mount}_echo`, arguments: { text: 'hello' } })
}

function textOf({ result }: Answer): string {
  const content = result?.['content'] as readonly { text: string }[] | undefined
  return result?.['isError'] === true ? '' : (content?.[0]?.text ?? '')
}

/** What the agent is told of a failure, wherever it stands. */
function sentenceOf({ result, error }: Answer): string {
  if (error) return error.message
  if (result?.['isError'] !== true) throw new Error(`This is no failure: ${JSON.stringify(result).slice(0, 300)}`)
  return (result['content'] as readonly { text: string }[])[0]!.text
}
