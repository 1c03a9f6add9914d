/** Each agent with the scripted model alone: thinking, parallel calls, a long text, failures and broken connections. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createTempHome } from '../harness/temp-home.ts'
import type { Agent, AgentName } from './agents.ts'
import { agentPrograms, agents, writeSettings } from './agents.ts'
import type { ScriptedModel } from './model/model.ts'
import { startScriptedModel } from './model/model.ts'
import { describeWith } from './requires-agent.ts'

/** How an agent runs one prompt without a screen, and how it reports the reply. */
interface Headless {
  /** The agent reads the prompt from standard input. */
  readonly args: readonly string[]
  /** A line for the scripted model that makes it run a command without a question. */
  runs(agent: Agent, command: string): string
  /** The parts of the replies that an event reports. */
  shows(event: Event): readonly Shown[]
  readonly retriesCuts: boolean
}

const retries = (what: string) => `model_providers.scripted.${what}_max_retries=2`

type Event = Readonly<Record<string, unknown>>
type Shown =
  | { readonly thinking: string }
  | { readonly text: string }
  | { readonly input: number; readonly output: number }

const headless: Readonly<Record<AgentName, Headless>> = {
  codex: {
    // Its settings switch retries off.
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '-s',
      'read-only',
      '-c',
      retries('request'),
      '-c',
      retries('stream'),
    ],
    runs: (_agent, command) => `CALL exec_command ${JSON.stringify({ cmd: command })}`,
    shows(event) {
      const { type, item, usage } = event as {
        type: string
        item: { type: string; text: string }
        usage: { input_tokens: number; output_tokens: number }
      }
      if (type === 'turn.completed') return [{ input: usage.input_tokens, output: usage.output_tokens }]
      if (type !== 'item.completed') return []
      if (item.type === 'reasoning') return [{ thinking: item.text }]
      return item.type === 'agent_message' ? [{ text: item.text }] : []
    },
    retriesCuts: true,
  },
  claude: {
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash'],
    runs: (agent, command) => agent.askingCall(command),
    shows(event) {
      const { type, message, usage } = event as {
        type: string
        message: { content: { thinking?: string; text?: string }[] }
        usage: { input_tokens: number; output_tokens: number }
      }
      if (type === 'result') return [{ input: usage.input_tokens, output: usage.output_tokens }]
      if (type !== 'assistant') return []
      return message.content.flatMap(({ thinking, text }): Shown[] => {
        if (thinking !== undefined) return [{ thinking }]
        return text === undefined ? [] : [{ text }]
      })
    },
    retriesCuts: true,
  },
  gemini: {
    args: ['--skip-trust', '--yolo', '--output-format', 'stream-json'],
    runs: (agent, command) => agent.askingCall(command),
    // It does not report thinking.
    shows(event) {
      const { type, role, content, stats } = event as {
        type: string
        role: string
        content: string
        stats: { input_tokens: number; output_tokens: number }
      }
      if (type === 'result') return [{ input: stats.input_tokens, output: stats.output_tokens }]
      return type === 'message' && role === 'assistant' ? [{ text: content }] : []
    },
    retriesCuts: false,
  },
  opencode: {
    args: ['run', '--format', 'json', '--thinking', '--auto'],
    runs: (agent, command) => agent.askingCall(command),
    shows(event) {
      const { type, part } = event as {
        type: string
        part: { text: string; tokens: { input: number; output: number } }
      }
      if (type === 'step_finish') return [{ input: part.tokens.input, output: part.tokens.output }]
      if (type === 'reasoning') return [{ thinking: part.text }]
      return type === 'text' ? [{ text: part.text }] : []
    },
    retriesCuts: true,
  },
}

for (const agent of agents) {
  const { runs, shows, retriesCuts } = headless[agent.name]
  describeWith(agent, () => {
    test('retries after failures, and reports the replies that the model sent', async () => {
      await using model = await startScriptedModel()
      const calls = `PARALLEL\n${runs(agent, 'echo one')}\n${runs(agent, 'echo two')}`
      const end = `${retriesCuts ? 'CUT\n' : ''}LONG 30\nFINAL the end`
      const script = `FAIL 429 1\nFAIL 500 1\nTHINK it over\nSAY first\n${calls}\n${end}`
      const { code, events } = await run(agent, model, script)
      const sent = model.sent().flatMap(({ replies }) => replies)
      expect(sent).toMatchObject([
        { thinking: 'it over', text: 'first', calls: [{}, {}] },
        { text: expect.stringMatching(/^word1 .* word30\nthe end$/), calls: [] },
      ])
      // The results may come in any order.
      const results = [expect.stringContaining('one'), expect.stringContaining('two')]
      expect(model.asked.at(-1)?.results).toEqual(expect.arrayContaining(results))
      expect(model.asked.map(({ results }) => results.length)).toEqual([0, 0, 0, 2, ...(retriesCuts ? [2] : [])])

      const shown = events.flatMap(shows)
      const joined = (part: 'thinking' | 'text') =>
        shown.map((each) => (part in each ? (each as Record<typeof part, string>)[part] : '')).join('')
      expect(joined('text')).toBe(sent.map(({ text }) => text).join(''))
      expect(joined('thinking')).toBe(agent.name === 'gemini' ? '' : 'it over')
      const tokens = shown.filter((each) => 'input' in each)
      const counted = { input: sum(tokens, 'input'), output: sum(tokens, 'output') }
      // Claude also counts a reply that was cut, if it had read the beginning.
      const withCut = agent.name === 'claude' ? [{ input: 300, output: 30 }] : []
      expect([{ input: 200, output: 20 }, ...withCut]).toContainEqual(counted)
      expect(code).toBe(0)
    })

    if (retriesCuts) return
    test('ends with an error when the connection breaks', async () => {
      await using model = await startScriptedModel()
      const { code, events } = await run(agent, model, 'CUT\nLONG 10')
      expect(code).toBe(1)
      expect(events.at(-1)).toMatchObject({ type: 'result', status: 'error' })
      expect(model.asked).toHaveLength(1)
      expect(model.sent()).toEqual([])
    })
  })
}

function sum<Field extends string>(all: readonly Readonly<Record<Field, number>>[], field: Field): number {
  return all.reduce((total, each) => total + each[field], 0)
}

/** Runs one prompt in a new home. */
async function run(agent: Agent, model: ScriptedModel, prompt: string) {
  await using place = await createTempHome()
  const [home, work, temporary] = ['home', 'work', 'tmp'].map((folder) => join(place.path, folder)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, work, temporary]) await mkdir(folder)
  writeSettings(home, agent, model.origin)
  const child = spawn(join(agentPrograms, agent.name), headless[agent.name].args, {
    cwd: work,
    env: {
      HOME: home,
      // Codex does not trust a home inside the folder for temporary files.
      TMPDIR: temporary,
      PATH: `${agentPrograms}${delimiter}${process.env['PATH']}`,
      LANG: 'C.UTF-8',
      ...agent.environment(model.origin),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(prompt)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>])
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  return { code, events: lines.map((line) => JSON.parse(line) as Event) }
}
