/** A turn with many calls of one tool, by an agent alone and by the same agent in a session of the hub. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { AgentHub } from '../../test/agents/agent-hub.ts'
import { agentPrograms } from '../../test/agents/agents.ts'
import { type ProcessFamily, watchFamily } from './process-family.ts'

export interface Figures {
  /**
   * CPU time of the agent, the upstream, and the hub with its holder, from the start of the agent to the end of the
   * turn.
   */
  readonly cpuSeconds: number
  /** CPU time of the program that was started first: the agent alone, or the hub without its holder. */
  readonly ownCpuSeconds: number
  /** From the start of the agent to the end of the turn. */
  readonly seconds: number
  /** From one request to the model to the next. */
  readonly msPerCall: number
}

/** How an agent runs one prompt without the hub. */
export interface Alone {
  readonly program: string
  args(upstream: readonly string[], prompt: string): readonly string[]
  /** Its name for the tool, without a prefix. */
  readonly tool: string
  /** Matches the line that ends the turn. */
  readonly end: RegExp
}

export const calls = 20
const upstreamProgram = fileURLToPath(new URL('../../test/worlds/counting-upstream.ts', import.meta.url))

export function deedsFile(hub: AgentHub): string {
  return join(hub.data, 'deeds')
}

export function upstreamCommand(hub: AgentHub): readonly string[] {
  return [process.execPath, upstreamProgram, deedsFile(hub)]
}

export async function runAlone(hub: AgentHub, { program, args, tool, end }: Alone): Promise<Figures> {
  return measure(hub, async (watch) => {
    const child = spawn(join(agentPrograms, program), args(upstreamCommand(hub), promptOf(tool)), {
      cwd: hub.workspace,
      env: hub.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exit = once(child, 'exit')
    const family = watch(child.pid!)
    for await (const line of createInterface({ input: child.stdout })) if (end.test(line)) family.stop()
    await exit
  })
}

let sessions = 0

export async function runInSession(hub: AgentHub, template: string): Promise<Figures> {
  const name = `bench-${++sessions}`
  const figures = await measure(hub, async (watch) => {
    const family = watch(hub.process.process.pid!)
    await hub.call('create_session', {
      name,
      template,
      mode: 'structured',
      working_dir: hub.workspace,
      connectors: [{ connector: 'counting', label: 'up' }],
      policy: 'rules: [{ allow: "up_*" }]',
    })
    const turn = await hub.call('prompt_session', { session: name, text: promptOf('up_act_now') })
    family.stop()
    if (turn['status'] !== 'completed') throw new Error(`The turn of ${template} ended as ${JSON.stringify(turn)}.`)
  })
  await hub.call('kill_session', { name })
  return figures
}

interface Watched {
  /** The turn is over: what follows does not count. */
  stop(): void
}

export async function measure(
  hub: AgentHub,
  run: (watch: (root: number) => Watched) => Promise<void>,
): Promise<Figures> {
  const acted = countActs(hub)
  const asked = hub.model.asked.length
  const startedAt = performance.now()
  const requests = watchRequests(hub)
  let family: ProcessFamily | undefined
  let end: Omit<Figures, 'msPerCall'> | undefined
  try {
    await run((root) => {
      const watched = watchFamily(root)
      family = watched
      const [before, ownBefore] = [watched.cpuSeconds(), watched.ownCpuSeconds()]
      return {
        stop() {
          end = {
            cpuSeconds: watched.cpuSeconds() - before,
            ownCpuSeconds: watched.ownCpuSeconds() - ownBefore,
            seconds: (performance.now() - startedAt) / 1000,
          }
        },
      }
    })
  } finally {
    family?.[Symbol.dispose]()
    requests[Symbol.dispose]()
  }
  const [done, requested] = [countActs(hub) - acted, hub.model.asked.length - asked]
  if (!end || done !== calls || requested !== calls + 1) {
    const offered = hub.model.asked.at(-1)?.tools.map(({ name }) => name)
    throw new Error(`The agent made ${done} calls in ${requested} requests. Its tools: ${offered?.join(', ')}`)
  }
  return { ...end, msPerCall: requests.betweenMs() / calls }
}

/** The time from the first request to the model to the last. */
function watchRequests({ model }: AgentHub): Disposable & { betweenMs(): number } {
  const before = model.asked.length
  let seen = before
  let [first, last] = [Number.NaN, Number.NaN]
  const timer = setInterval(() => {
    if (model.asked.length === seen) return
    last = performance.now()
    if (seen === before) first = last
    seen = model.asked.length
  }, 5)
  return { betweenMs: () => last - first, [Symbol.dispose]: () => clearInterval(timer) }
}

export function promptOf(tool: string): string {
  const lines = Array.from({ length: calls }, (_, index) => `CALL ${tool} {"number":${index}}`)
  return [...lines, 'FINAL It is done.'].join('\n')
}

function countActs(hub: AgentHub): number {
  const file = deedsFile(hub)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
}
