/**
 * Talks to an agent without a terminal, and kills the hub at random moments of each turn. The next hub has the same
 * data directory and port. The messages and actions of the agent are then compared with those that the scripted model
 * sent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Frame, Thread } from '../../src/api/thread.ts'
import type { AgentHub } from '../agents/agent-hub.ts'
import { startAgentHub } from '../agents/agent-hub.ts'
import type { Agent, AgentName } from '../agents/agents.ts'
import type { ScriptedModel } from '../agents/model/model.ts'
import { createDice } from './fuzz-values.ts'

export interface KillPlan {
  readonly kills: number
  readonly seed: number
}

export interface TurnsReport {
  readonly kills: number
  readonly turns: number
  /** How many kills came after which kind of frame. */
  readonly killedAfter: Readonly<Record<string, number>>
  /** One line for each text, call, result and end of a turn: in the thread, and as the model sent them. */
  readonly said: readonly string[]
  readonly sent: readonly string[]
  /** The words of the commands that ran, and of those that the model sent. */
  readonly ran: readonly string[]
  readonly ordered: readonly string[]
  /** Calls of the agent's own shell that failed. They wait for the next hub, so none should. */
  readonly ownCallsFailed: readonly string[]
  /** Calls of the upstream fail while the hub is away. */
  readonly upstreamCallsFailed: number
  readonly upstreamCallsSucceeded: number
}

const session = 'soaked'
const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { pattern: "^echo " } }, required: [command] }
  - allow: "up_*"
`
/** The longest turn that a loaded machine needs. */
const patience = { timeout: 240_000, interval: 100 }
/** A kill comes at most this long after the start of a turn or of a hub. A turn takes a few times as long. */
const longestLifeMs = 3_000
const upstream = fileURLToPath(new URL('../worlds/counting-upstream.ts', import.meta.url))

export async function killInTurns(agent: Agent, { kills, seed }: KillPlan): Promise<TurnsReport> {
  await using hub = await startAgentHub(agent)
  const dice = createDice(seed)
  await startSession(hub, agent)
  let done = 0
  let turns = 0
  const killedAfter: Record<string, number> = {}
  const isOver = (frames: readonly Frame[]) => frames.filter(({ type }) => type === 'complete').length >= turns
  const begin = () => hub.call('prompt_session', { session, text: scriptOf(++turns, agent.name), wait: false })
  async function finish(): Promise<void> {
    const ends = async () => isOver(await framesOf(hub))
    await expect.poll(ends, { ...patience, message: `turn ${turns} ends` }).toBe(true)
    await expect.poll(async () => (await hub.session(session)).activity.is, patience).toBe('idle')
  }
  while (done < kills) {
    await begin()
    while (done < kills) {
      await sleep(dice.below(longestLifeMs))
      const frames = await framesOf(hub)
      if (isOver(frames)) break
      const last = frames.at(-1)?.type ?? 'nothing'
      killedAfter[last] = (killedAfter[last] ?? 0) + 1
      await hub.whileAway(async () => sleep(dice.chance(0.3) ? dice.below(longestLifeMs) : 0))
      done++
    }
    await finish()
  }
  // Calls of the upstream fail while the hub is away. Now they work again, when the agent has connected.
  const before = countDone(await framesOf(hub))
  const lastTry = Date.now() + patience.timeout
  do {
    await begin()
    await finish()
  } while (countDone(await framesOf(hub)) === before && Date.now() < lastTry)
  const frames = await framesOf(hub)
  expect(countDone(frames), 'calls of the upstream').toBeGreaterThan(before)
  return { kills: done, turns, killedAfter, ...compare(hub, agent, frames) }
}

async function startSession(hub: AgentHub, agent: Agent): Promise<void> {
  await hub.call('save_connector', {
    name: 'counting',
    transport: 'stdio',
    cmd: process.execPath,
    args: [upstream, join(hub.data, 'deeds')],
  })
  await hub.call('create_session', {
    name: session,
    template: agent.name,
    mode: 'structured',
    working_dir: hub.workspace,
    connectors: [{ connector: 'counting', label: 'up' }],
    policy,
  })
}

function compare(
  hub: AgentHub,
  agent: Agent,
  frames: readonly Frame[],
): Omit<TurnsReport, 'kills' | 'turns' | 'killedAfter'> {
  // Over ACP, Gemini CLI does not report the arguments of MCP calls. Their order remains.
  const comparable = (line: string) => (agent.name === 'gemini' ? line.replace(/ up_act_now .*$/, ' up_act_now') : line)
  const sent = sentBy(hub.model)
  const results = frames.filter((frame) => frame.type === 'tool-result')
  const own = results.filter(({ name }) => !isOfUpstream(name))
  const succeeded = countDone(frames)
  return {
    said: saidIn(frames).map(comparable),
    sent: sent.map(comparable),
    ran: linesIn(join(hub.workspace, 'ran.txt')),
    ordered: sent.filter((line) => line.startsWith('call ')).flatMap((line) => /own-.*/.exec(line) ?? []),
    ownCallsFailed: own.filter(({ stage }) => stage === 'error').map((frame) => JSON.stringify(frame)),
    upstreamCallsFailed: results.length - own.length - succeeded,
    upstreamCallsSucceeded: succeeded,
  }
}

/** A turn with thoughts, texts, own and other calls, and a long end. Each call has a word of its own. */
function scriptOf(turn: number, agent: AgentName): string {
  return [
    'SLOW 60',
    `THINK about turn ${turn}`,
    `SAY I begin turn ${turn}`,
    ownCall(agent, `own-${turn}-1`),
    `CALL up_act_now {"word":"up-${turn}-2"}`,
    `THINK it went well in turn ${turn}`,
    ownCall(agent, `own-${turn}-3`),
    `SAY Half of turn ${turn} is done`,
    `CALL up_act_now {"word":"up-${turn}-4"}`,
    'LONG 30',
    `FINAL Turn ${turn} is over`,
  ].join('\n')
}

function ownCall(agent: AgentName, word: string): string {
  const command = `echo ${word} >> ran.txt`
  switch (agent) {
    case 'claude':
      return `CALL Bash ${JSON.stringify({ command, description: 'Does it' })}`
    case 'codex':
      return `CALL exec_command ${JSON.stringify({ cmd: command })}`
    case 'gemini':
      return `CALL run_shell_command ${JSON.stringify({ command, description: 'Does it' })}`
    case 'opencode':
      return `CALL bash ${JSON.stringify({ command, description: 'Does it' })}`
  }
}

/** All pages of the thread. */
async function framesOf(hub: AgentHub): Promise<readonly Frame[]> {
  if ((await hub.session(session)).thread === undefined) return []
  const frames: Frame[] = []
  let page: Thread | undefined
  do {
    const since = page && { since: page.cursor }
    page = (await hub.call('read_thread', { session, ...since })) as unknown as Thread
    frames.push(...page.events)
  } while (page.has_more)
  return frames
}

function saidIn(frames: readonly Frame[]): readonly string[] {
  return frames.flatMap((frame) => {
    switch (frame.type) {
      case 'prompt':
        return [`prompt ${turnIn(frame.text)}`]
      case 'thinking':
        // Gemini CLI puts a title before each thought, which is empty here.
        return [`thinking ${frame.text.replace(/^\*{4}\s/, '').trim()}`]
      case 'token':
        return [`token ${frame.text.trim()}`]
      case 'tool-request':
        return [`call ${toolLine(frame.name, frame.parameters)}`]
      case 'tool-result':
        return [`result ${toolLine(frame.name, frame.parameters)}`]
      case 'complete':
        return [`complete ${frame.status}`]
      case 'error':
        return [`error ${frame.message}`]
      case 'final':
        return []
    }
  })
}

/** The same lines, from the record of the model. A reply without calls ends its turn. */
function sentBy(model: ScriptedModel): readonly string[] {
  const replies = model.sent().flatMap((conversation) => conversation.replies)
  const lines: string[] = []
  let turn = 0
  let isOpen = false
  for (const { thinking, text, calls } of replies) {
    if (!isOpen) lines.push(`prompt ${++turn}`)
    if (thinking !== undefined) lines.push(`thinking ${thinking.trim()}`)
    if (text !== undefined) lines.push(`token ${text.trim()}`)
    for (const call of calls) {
      const tool = toolLine(call.name, call.arguments)
      lines.push(`call ${tool}`, `result ${tool}`)
    }
    isOpen = calls.length > 0
    if (!isOpen) lines.push('complete completed')
  }
  return lines
}

function turnIn(script: string): number {
  return Number(/^FINAL Turn (\d+)/m.exec(script)?.[1])
}

/** The agents have different names for arguments, so the word in them identifies the call. */
function toolLine(name: string, args: object): string {
  return `${isOfUpstream(name) ? 'up_act_now' : name} ${wordIn(args)}`
}

/** How many calls of the upstream succeeded. */
function countDone(frames: readonly Frame[]): number {
  return frames.filter((frame) => {
    return frame.type === 'tool-result' && frame.stage === 'success' && isOfUpstream(frame.name)
  }).length
}

function isOfUpstream(name: string): boolean {
  return name.endsWith('up_act_now')
}

function wordIn(args: object): string {
  return /(?:own|up)-\d+-\d+/.exec(JSON.stringify(args))?.[0] ?? JSON.stringify(args)
}

function linesIn(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
