/**
 * Records the output of a real agent while it works, asks, waits and finishes, with the scripted model:
 *
 *   node test/agents/record.ts codex
 *
 * Its activity is known from the script and not from its screen, so the spans are a fair test of the rules. The moments
 * between a change of activity and its appearance on the screen belong to no span.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { encodeKeys } from '../../src/terminal/keys.ts'
import { encodePaste } from '../../src/terminal/paste.ts'
import { startPty } from '../../src/terminal/pty/pty.ts'
import { createScreen } from '../../src/terminal/screen/screen.ts'
import type { Agent } from './agents.ts'
import { agentPrograms, agents, writeSettings } from './agents.ts'
import { startScriptedModel } from './model/model.ts'
import type { Recording, Span } from './recording.ts'

/** The same on every machine, because it appears on the screen. */
const place = '/tmp/signalbox-recording'
const size = { cols: 80, rows: 24 }
/** The time after which the screen shows a change of activity. */
const settleMs = 700
const recordings = fileURLToPath(new URL('../recordings/agents/', import.meta.url))

const startArguments: Readonly<Record<Agent['name'], readonly string[]>> = {
  codex: [
    '--no-daemon',
    '--no-alt-screen',
    '-c',
    `projects={${JSON.stringify(`${place}/work`)}={trust_level="trusted"}}`,
  ],
  claude: [],
  gemini: ['--skip-trust'],
  opencode: [],
}

for (const name of process.argv.slice(2)) {
  const agent = agents.find((candidate) => candidate.name === name)
  if (!agent) throw new Error(`There is no agent "${name}", only ${agents.map((known) => known.name).join(', ')}.`)
  await record(agent)
}

async function record(agent: Agent): Promise<void> {
  rmSync(place, { recursive: true, force: true })
  for (const folder of ['home', 'work', 'tmp']) mkdirSync(join(place, folder), { recursive: true })
  await using model = await startScriptedModel()
  writeSettings(join(place, 'home'), agent, model.origin)
  using tape = startTape(agent, model.origin)
  const spans = await play(tape, agent)
  const { bytes, times } = tape.take()
  const recording: Recording = { agent: agent.name, version: agent.version, ...size, times, spans }
  mkdirSync(recordings, { recursive: true })
  writeFileSync(join(recordings, `${agent.name}.raw`), bytes)
  writeFileSync(join(recordings, `${agent.name}.json`), `${JSON.stringify(recording)}\n`)
  console.log(`${agent.name}: ${bytes.length} bytes, ${spans.length} spans`)
}

/** A running agent and all its output. */
interface Tape extends Disposable {
  readonly isRunning: boolean
  /** Milliseconds since its start, and bytes so far. */
  readonly now: { readonly ms: number; readonly offset: number }
  press(keys: string): void
  paste(text: string): void
  text(): string
  take(): { readonly bytes: Buffer; readonly times: Recording['times'] }
}

function startTape(agent: Agent, model: string): Tape {
  const begin = Date.now()
  const chunks: Buffer[] = []
  const times: (readonly [number, number])[] = []
  let isRunning = true
  let offset = 0
  const screen = createScreen({ size, scrollbackLines: 100, onAnswer: (bytes) => pty.write(bytes) })
  const env = {
    PATH: `${agentPrograms}:${process.env['PATH']}`,
    HOME: join(place, 'home'),
    // Codex does not trust a home inside the folder for temporary files.
    TMPDIR: join(place, 'tmp'),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    ...agent.environment(model),
  }
  const file = join(agentPrograms, agent.name)
  const pty = startPty(
    { file, args: startArguments[agent.name], cwd: join(place, 'work'), env, ...size },
    {
      onOutput(bytes) {
        chunks.push(bytes)
        offset += bytes.length
        times.push([Date.now() - begin, offset])
        void screen.feed(bytes)
      },
      onExit: () => (isRunning = false),
    },
  )
  return {
    get isRunning() {
      return isRunning
    },
    get now() {
      return { ms: Date.now() - begin, offset }
    },
    press: (keys) => pty.write(encodeKeys(keys, screen.modes).bytes),
    paste: (text) => pty.write(encodePaste(text, screen.modes)),
    text: () => screen.text(),
    take: () => ({ bytes: Buffer.concat(chunks), times }),
    [Symbol.dispose]() {
      if (isRunning) pty.signal('SIGKILL')
      screen[Symbol.dispose]()
    },
  }
}

async function play(tape: Tape, agent: Agent): Promise<readonly Span[]> {
  const spans: Span[] = []
  const until = (shown: RegExp) => untilShown(tape, shown)
  const press = (keys: string) => tape.press(keys)
  /** Records a span with this activity and length. */
  async function is(kind: Span['is'], ms: number): Promise<void> {
    const from = tape.now
    await wait(ms)
    const to = tape.now
    spans.push({ is: kind, from_ms: from.ms, to_ms: to.ms, from_offset: from.offset, to_offset: to.offset })
  }
  async function prompt(text: string): Promise<void> {
    tape.paste(text)
    await wait(600)
    press('Enter')
    await wait(settleMs)
  }

  if (agent.name === 'claude') {
    await until(/Yes, I trust this folder/)
    await wait(settleMs)
    await is('waiting', 1_000)
    press('Down')
    await wait(200)
    press('Enter')
  }
  await until(agent.ready)
  await wait(3_000)
  await is('idle', 1_000)

  await prompt('THINK hard\nSLOW 1500\nFINAL the first is done')
  await is('working', 500)
  await until(/^(?!.*FINAL).*the first is done/m)
  await wait(settleMs)
  await is('idle', 1_500)

  await prompt(`SLOW 1100\n${agent.askingCall('echo it ran > made.txt && sleep 1')}\nFINAL the second is done`)
  await is('working', 300)
  await until(agent.asks)
  await wait(settleMs)
  await is('waiting', 2_500)
  press('Enter')
  await wait(settleMs)
  await is('working', 900)
  await until(/^(?!.*FINAL).*the second is done/m)
  await wait(settleMs)
  await is('idle', 1_500)

  // The rules must not mistake the content of a conversation for the activity of the agent.
  await prompt('FINAL quoting: Working (3s • esc to interrupt), Do you want to proceed? 1. Yes, Action Required')
  await until(/^(?!.*FINAL).*quoting: /m)
  await wait(settleMs)
  await is('idle', 1_500)

  await prompt('STALL')
  await is('working', 700)
  press('Escape')
  // opencode needs Escape twice.
  if (agent.name === 'opencode') {
    await wait(300)
    press('Escape')
  }
  await wait(1_500)
  await is('idle', 1_500)
  // Claude puts the interrupted prompt back into its input.
  press('Ctrl+u')
  await wait(300)

  await prompt(`${agent.askingCall('echo no > never.txt')}\nFINAL never said`)
  await until(agent.asks)
  await wait(settleMs)
  await is('waiting', 1_000)
  press('Escape')
  await wait(1_500)
  await is('idle', 1_500)

  while (tape.isRunning) {
    press('Ctrl+c')
    await wait(700)
  }
  return spans
}

async function untilShown(tape: Tape, shown: RegExp): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!shown.test(tape.text())) {
    if (Date.now() > deadline || !tape.isRunning) throw new Error(`${shown} was not shown:\n${tape.text()}`)
    await wait(20)
  }
}
