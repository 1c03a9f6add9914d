/**
 * One turn of the built-in agent: it asks the model, runs the tools that the model calls, and asks again, until the
 * model calls none.
 *
 *   thread → messages → model → text and calls → thread
 *                                     calls → compositor → results → thread
 */
import { randomUUID } from 'node:crypto'
import type { ModelTemplate } from '../../api/template.ts'
import type { NewEntry, TurnStatus } from '../../api/thread.ts'
import { addUsage, noUsage } from '../../api/usage.ts'
import { messageOf } from '../../base/hub-error.ts'
import type { AnswerPart, ModelCall, ModelMessage, Models, ModelTool } from '../../models/models.ts'
import type { RunSession } from '../port/driver.ts'
import type { FaceUser } from './agent-face.ts'
import { callTool, followedResources, listTools } from './agent-face.ts'
import { createAnswerWriter } from './answer-writer.ts'
import {
  chooseCut,
  coveredPrompt,
  entriesAfter,
  estimateTokens,
  roomFor,
  summaryInstructions,
  summaryMessage,
  tokensOf,
  transcriptOf,
} from './compaction.ts'
import type { Inbox } from './inbox.ts'
import { toModelMessages } from './messages.ts'
import { openPartialText } from './partial-text.ts'
import { keyPrefix, openCalls, resultEntry } from './repair.ts'
import { openThread } from './thread.ts'

export interface TurnOptions {
  readonly session: Pick<RunSession, 'id' | 'directory' | 'thread'>
  readonly conversation: string
  readonly models: Models
  readonly user: FaceUser
  readonly settings: ModelTemplate
  readonly instructions: string
  readonly redact: (text: string) => string
  /** `undefined`: the inbox has woken the agent. */
  readonly prompt: string | undefined
  /** The prompt is in the thread. */
  readonly onDelivered: () => void
  readonly readInbox: () => Promise<Inbox>
  readonly changesIn: (followed: ReadonlyMap<string, string>) => string | undefined
  /** Returns the texts for this turn that have arrived since the last call. */
  readonly takeSteering: () => readonly string[]
  /** The agent has asked to sleep. */
  readonly hasYielded: () => boolean
  /** Its reason is a `TurnEnd`, or `undefined` if the hub stops: the next hub then ends the turn. */
  readonly signal: AbortSignal
}

export interface TurnEnd {
  readonly status: TurnStatus
  readonly reason?: string
}

/** Thrown inside a turn to end it. */
class TurnOver extends Error {
  readonly end: TurnEnd
  constructor(end: TurnEnd) {
    super(end.reason ?? end.status)
    this.end = end
  }
}

export async function runTurn(options: TurnOptions): Promise<void> {
  const { session, conversation, models, user, settings, instructions, signal: interrupted } = options
  const { steps: mostSteps, minutes, tokens: mostTokens } = settings.limits
  const key = `${keyPrefix}${randomUUID()}`
  const chosen = models.find(settings.name)
  const thread = await openThread(session.thread, conversation)
  using partial = openPartialText(session.directory)
  const seals = new Map<string, AnswerPart['seal']>()
  let usage = noUsage
  const begin = thread.entries.length
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(), minutes * 60_000)
  const signal = AbortSignal.any([interrupted, timeUp.signal])
  const place = { session: session.id }
  /** The ratio of real tokens to estimated ones. */
  let tokenFactor = 1
  let said = 0
  /** The ids of the calls that were made. */
  const begunCalls = new Set<string>()

  function addPrompt(entryKey: string, text: string): void {
    // A hub that was killed may have stored a message of the inbox already.
    if (thread.entries.some((entry) => entry.key === entryKey)) return
    thread.add({ type: 'prompt', key: entryKey, at: new Date().toISOString(), text })
  }

  /** Hands over the messages that have arrived since the last step. */
  async function takeInbox(): Promise<boolean> {
    const before = thread.entries.length
    for (const text of options.takeSteering()) addPrompt(`${key}:said:${++said}`, text)
    const changes = options.changesIn(await followedResources(user, signal))
    if (changes !== undefined) addPrompt(`${key}:said:${++said}`, changes)
    const inbox = await options.readInbox()
    for (const { id, text } of inbox.messages) addPrompt(`${keyPrefix}inbox:${id}`, text)
    await thread.stored()
    await inbox.taken()
    return thread.entries.length > before
  }

  function checkLimits(step: number): void {
    if (step > mostSteps) throw new TurnOver(limit(`it has called the model ${mostSteps} times`, 'steps'))
    const spent = usage.input_tokens + usage.output_tokens
    if (spent >= mostTokens) throw new TurnOver(limit(`it has used ${spent} tokens`, 'tokens'))
  }

  /** Summarises the oldest entries if the conversation might not fit any more. */
  async function compact(fixedTokens: number): Promise<void> {
    const room = roomFor(chosen.contextTokens / tokenFactor, fixedTokens)
    const current = entriesAfter(thread.entries, thread.summary)
    if (tokensOf(current) + estimateTokens(thread.summary?.text ?? '') <= room) return
    const cut = chooseCut(current, room)
    const last = current[cut - 1]
    if (!last) return
    const prompt = transcriptOf(current.slice(0, cut), thread.summary, room)
    const request = { model: chosen.name, system: summaryInstructions, prompt, place, signal }
    const answer = await models.generate(request)
    usage = addUsage(usage, answer.usage)
    if (answer.text.trim() === '') {
      throw new TurnOver({
        status: 'failed',
        reason: 'The conversation is too long, and the model did not summarise it.',
      })
    }
    await thread.compact({ through: last.key, text: options.redact(answer.text) })
  }

  function messages(): readonly ModelMessage[] {
    const { entries, summary } = thread
    const kept = entriesAfter(entries, summary)
    const rest = toModelMessages(kept, seals)
    return summary ? [{ role: 'user', text: summaryMessage(summary, coveredPrompt(entries, kept)) }, ...rest] : rest
  }

  async function askModel(
    step: number,
    tools: readonly ModelTool[],
    fixedTokens: number,
  ): Promise<{ readonly calls: readonly ModelCall[]; readonly isCut: boolean }> {
    const origin = { model: chosen.model, provider: chosen.provider }
    using writer = createAnswerWriter({ thread, partial, key: `${key}:${step}`, origin, seals })
    const estimatedTokens = fixedTokens + tokensOf(entriesAfter(thread.entries, thread.summary))
    try {
      const answer = await models.stream({
        model: chosen.name,
        system: instructions,
        messages: messages(),
        tools,
        place,
        signal,
        onPart: (part) => writer.take(part),
      })
      usage = addUsage(usage, answer.usage)
      tokenFactor = Math.max(1, answer.usage.input_tokens / estimatedTokens)
      if (answer.finish === 'filtered')
        throw new TurnOver({ status: 'failed', reason: 'The provider refused to answer.' })
      return { calls: writer.calls, isCut: answer.finish === 'length' }
    } finally {
      // If the hub stops, the next one finds it in the file.
      if (!isLeaving()) {
        writer.keepPartial()
        await thread.stored()
        partial.clear()
      }
    }
  }

  async function runCalls(calls: readonly ModelCall[]): Promise<void> {
    let aborted: string | undefined
    for (const { id } of calls) begunCalls.add(id)
    const run = async (call: ModelCall): Promise<void> => {
      const { text, isError, isAborted } = await callTool(user, call, signal)
      signal.throwIfAborted()
      const { id: callId, name } = call
      const at = new Date().toISOString()
      thread.add(resultEntry({ callId, name, at, ...(isError ? { error: text } : { text }) }))
      if (isAborted) aborted ??= text
    }
    const outcomes = await Promise.allSettled(calls.map(run))
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failure) throw failure.reason
    if (aborted !== undefined) throw new TurnOver({ status: 'interrupted', reason: aborted })
  }

  /** `undefined`: no message has arrived, so there is nothing to do. */
  async function work(): Promise<TurnEnd | undefined> {
    if (options.prompt !== undefined) addPrompt(key, options.prompt)
    await thread.stored()
    options.onDelivered()
    await user.face.waitForStart()
    for (let step = 1; ; step++) {
      const hasNews = await takeInbox()
      if (step === 1 && options.prompt === undefined && !hasNews) return undefined
      checkLimits(step)
      signal.throwIfAborted()
      const tools = await listTools(user)
      const fixedTokens = estimateTokens(instructions) + estimateTokens(JSON.stringify(tools))
      await compact(fixedTokens)
      const { calls, isCut } = await askModel(step, tools, fixedTokens)
      await runCalls(calls)
      if (options.hasYielded())
        return { status: 'completed', reason: 'The agent sleeps until it is prompted or gets a message.' }
      if (calls.length > 0 || (await takeInbox())) continue
      return {
        status: 'completed',
        ...(isCut && { reason: 'The answer is as long as the model may write, and was cut.' }),
      }
    }
  }

  function isLeaving(): boolean {
    return interrupted.aborted && !isEnd(interrupted.reason)
  }

  function endOf(error: unknown): TurnEnd {
    if (isEnd(interrupted.reason)) return interrupted.reason
    if (timeUp.signal.aborted) return limit(`it has run for ${minutes} minutes`, 'minutes')
    return error instanceof TurnOver ? error.end : { status: 'failed', reason: messageOf(error) }
  }

  let end: TurnEnd | undefined
  try {
    end = await work()
  } catch (error) {
    if (isLeaving()) return
    end = endOf(error)
  } finally {
    clearTimeout(timer)
  }
  if (!end) return
  const at = new Date().toISOString()
  const unanswered = openCalls(thread.entries.slice(begin))
  const results = unanswered.map(({ callId, name }): NewEntry => {
    const error = begunCalls.has(callId) ? unknownOutcome : 'The turn ended before this call was made. It has not run.'
    return resultEntry({ callId, name, at, error })
  })
  thread.add(...results, { type: 'complete', key: `${key}:end`, at, ...end, usage })
  await thread.stored()
}

const unknownOutcome = 'The turn ended before this call did. Its outcome is unknown: check before you repeat it.'

function isEnd(reason: unknown): reason is TurnEnd {
  return typeof reason === 'object' && reason !== null && 'status' in reason
}

function limit(what: string, field: string): TurnEnd {
  const reason = `The turn was ended because ${what}. The template's "model": {"limits": {"${field}"}} sets this limit. Prompt the agent to go on.`
  return { status: 'interrupted', reason }
}
