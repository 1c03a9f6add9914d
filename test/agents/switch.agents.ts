/** Threads that go from real agents and models to real agents and models, with a table of what arrived. */
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Thread } from '../../src/api/thread.ts'
import { createHubClient } from '../../src/cli/hub-client/hub-client.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { startHubProcess } from '../worlds/hub-process.ts'
import type { ModelRequest, RecordedModel } from '../worlds/recorded-model.ts'
import { startRecordedModel } from '../worlds/recorded-model.ts'
import { callsIn, toldIn } from '../worlds/told.ts'
import type { AgentName } from './agents.ts'
import { agentPrograms, agents, writeSettings } from './agents.ts'
import { describeWith } from './requires-agent.ts'

/** The APIs through which agents and models talk to the scripted model. */
const apis = {
  codex: 'openai',
  claude: 'anthropic',
  gemini: 'google',
  opencode: 'openai-chat',
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
} as const satisfies Record<string, ModelRequest['provider']>
type Party = keyof typeof apis

const models = ['openai', 'anthropic', 'google'] as const
const parties = Object.keys(apis) as readonly Party[]
const isModel = (party: Party) => (models as readonly string[]).includes(party)
const toOf = (party: Party) => (isModel(party) ? `${party}/scripted` : party)

/** opencode starts slowly, and some of these tests start it several times. */
const timeout = 600_000

let model: RecordedModel
let workspace: string
let call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>
const opened = new AsyncDisposableStack()
const arrived = new Map<string, string>()

beforeAll(async () => {
  const place = opened.use(await createTempHome())
  const [home, work, temporary] = ['home', 'work', 'tmp'].map((folder) => join(place.path, folder)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, work, temporary]) await mkdir(folder)
  workspace = work
  model = opened.use(await startRecordedModel())
  for (const agent of agents) writeSettings(home, agent, model.origin)
  const env = {
    HOME: home,
    TMPDIR: temporary,
    CI: 'false',
    CONTINUOUS_INTEGRATION: 'false',
    PATH: `${agentPrograms}${delimiter}${process.env['PATH']}`,
    LANG: 'C.UTF-8',
    ...Object.assign({}, ...agents.map((agent) => agent.environment(model.origin))),
    OPENAI_BASE_URL: `${model.origin}/v1`,
  }
  const hub = opened.use(await startHubProcess({ home: join(place.path, 'hub'), env }))
  const person = opened.use(createHubClient({ url: hub.url, token: hub.token, tokenFrom: 'its ready line' }))
  call = async (tool, args) => {
    const { isError, structured, text } = await person.callTool(tool, args, { timeoutMs: timeout })
    if (isError || !structured) throw new Error(`${tool} failed: ${text}`)
    return structured
  }
})
afterAll(async () => {
  console.log(table())
  await opened.disposeAsync()
})

function table(): string {
  const width = 10
  const cells = (row: readonly string[]) => row.map((cell) => cell.padEnd(width)).join(' ')
  const rows = parties.map((from) => cells([from, ...parties.map((to) => arrived.get(`${from} ${to}`) ?? '')]))
  return ['', 'rows: from; columns: to. "calls" were told with their results.', cells(['', ...parties]), ...rows].join(
    '\n',
  )
}

/** A session of this party whose thread has a call of the hub's own tool. */
async function begin(party: Party): Promise<string> {
  const name = `from-${party}`
  await call('create_session', { name, template: isModel(party) ? 'assistant' : party, working_dir: workspace })
  if (isModel(party)) {
    await prompt(name, 'FINAL hello')
    await call('switch_provider', { session: name, to: toOf(party) })
  }
  await prompt(name, `SAY I am ${party}.\nCALL hub_status {}\nFINAL ${party} has looked`)
  return name
}

async function prompt(session: string, text: string): Promise<void> {
  const answer = await call('prompt_session', { session, text, timeout_ms: 180_000 })
  expect(answer, JSON.stringify(answer)).toMatchObject({ status: 'completed' })
}

for (const from of parties) {
  const describeFrom = isModel(from) ? describe : describeOf(from as AgentName)
  describeFrom(`from ${from}`, () => {
    let source: string
    beforeAll(async () => {
      source = await begin(from)
    }, timeout)
    afterAll(() => call('kill_session', { name: source }))

    for (const to of parties.filter((party) => party !== from && !(isModel(from) && isModel(party)))) {
      test(`to ${to}: it is told the earlier calls and results, and the thread goes on`, { timeout }, async () => {
        const switched = (await call('switch_provider', { session: source, to: toOf(to) })) as unknown as Thread
        const name = switched.session!
        expect(name).toMatch(new RegExp(`^from-${from}-${to}`))
        await prompt(name, `FINAL from ${from} to ${to}`)
        const request = model.requests.findLast(({ messages }) =>
          JSON.stringify(messages).includes(`FINAL from ${from} to ${to}`),
        )!
        expect(request.provider).toBe(apis[to])
        const calls = callsIn(request)
        arrived.set(`${from} ${to}`, calls.some((each) => /hub_status .*signalbox/.test(each)) ? 'calls' : '-')
        expect(calls).toEqual([expect.stringMatching(/hub_status .*signalbox/)])
        const said = toldIn(request).flatMap((entry) => ('text' in entry ? [entry.text] : []))
        expect(said.join('\n')).toMatch(
          new RegExp(`CALL hub_status[\\s\\S]*I am ${from}\\.[\\s\\S]*${from} has looked[\\s\\S]*FINAL from`),
        )
        const thread = (await call('read_thread', { session: name })) as unknown as Thread
        expect(thread.thread_id).toBe(switched.thread_id)
        // Nothing that was handed over is in the thread twice.
        expect(thread.messages.slice(0, switched.messages.length)).toEqual(switched.messages)
        expect(thread.messages.slice(switched.messages.length)).toMatchObject([
          { role: 'user', content: [{ text: `FINAL from ${from} to ${to}` }] },
          { role: 'assistant', content: [{ text: `from ${from} to ${to}` }] },
        ])
        await call('kill_session', { name })
      })
    }
  })
}

describeWith(
  agents.find(({ name }) => name === 'gemini')!,
  () => {
    test('an agent that takes a thread in no other form gets it as a text before its first prompt', async () => {
      const { templates } = (await call('list_templates', {})) as unknown as { templates: { name: string }[] }
      const {
        available: _,
        why_not: __,
        source: ___,
        ...template
      } = templates.find(({ name }) => name === 'gemini') as Readonly<Record<string, unknown>>
      await call('save_template', {
        payload: { ...template, name: 'gemini-plain', mode: 'structured', include_files: [] },
      })
      const source = await begin('openai')
      const { session } = (await call('switch_provider', { session: source, to: 'gemini-plain' })) as unknown as Thread
      await prompt(session!, 'FINAL as a text')
      const said = toldIn(
        model.requests.findLast(({ messages }) => JSON.stringify(messages).includes('FINAL as a text'))!,
      )
      const told = said.flatMap((entry) => (entry.type === 'prompt' ? [entry.text] : [])).join('\n')
      expect(told).toMatch(
        /began with another agent[\s\S]*hub_status[\s\S]*signalbox[\s\S]*openai has looked[\s\S]*FINAL as a text/,
      )
      await prompt(session!, 'FINAL and plain')
      expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ parts: [{ text: 'FINAL and plain' }] })
      for (const name of [source, session]) await call('kill_session', { name })
    })
  },
)

for (const agent of agents) {
  describeWith(agent, () => {
    test('a session that continued a thread is resumed with all of it', { timeout }, async () => {
      const called = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
      const text = JSON.stringify([
        { role: 'user', content: 'Look it up.' },
        { role: 'assistant', tool_calls: [called] },
        { role: 'tool', tool_call_id: 'c1', content: 'It is 17.' },
        { role: 'assistant', content: 'Seventeen.' },
      ])
      const imported = await call('import_thread', { text, format: 'openai-chat', label: `to ${agent.name}` })
      const switched = await call('switch_provider', { thread: imported['thread_id'], to: agent.name })
      const name = String(switched['session'])
      await prompt(name, 'FINAL once')
      await call('kill_session', { name })
      await call('resume_session', { name })
      const again = `FINAL ${agent.name} again`
      await prompt(name, again)
      const request = model.requests.findLast(({ messages }) => JSON.stringify(messages).includes(again))!
      expect(callsIn(request)).toEqual([expect.stringMatching(/look_up .*It is 17\./)])
      const { messages } = (await call('read_thread', { session: name })) as unknown as Thread
      const roles = messages.map(({ role }) => role)
      expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user', 'assistant'])
      await call('kill_session', { name })
    })
  })
}

function describeOf(name: AgentName): (title: string, body: () => void) => void {
  const agent = agents.find((each) => each.name === name)!
  return (_, body) => describeWith(agent, body)
}
