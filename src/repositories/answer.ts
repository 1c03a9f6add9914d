/**
 * Answers a question about a repository: a model searches and reads the index until it can answer, and every citation of
 * its answer is checked.
 *
 *   question → search → model ⇄ search, symbol, grep, read, list → text → checked citations
 *
 * Without a model, the answer is what the search found.
 */
import type { RepositoryAnswer } from '../api/repository.ts'
import { addUsage, noUsage } from '../api/usage.ts'
import type { ChosenModel, ModelCall, ModelMessage, Models } from '../models/models.ts'
import { instructionsFor, lastStepNote, seedMessage } from './answer-prompt.ts'
import { callsOf, createAnswerStep } from './answer-step.ts'
import { answerTools, callAnswerTool } from './answer-tools.ts'
import { rankedAnswer } from './ranked-answer.ts'
import type { AskRequest, IndexedContent } from './repository.ts'
import type { Segments } from './segments.ts'
import { createSegments } from './segments.ts'

export type AnswerRequest = Omit<AskRequest, 'onProgress'> & { readonly content: IndexedContent }

export type AnswerModels = Pick<Models, 'find' | 'whyNot' | 'stream'>

const seedHits = 8
/** How often the model may be called. Enough to follow a question through a few files. */
const mostSteps = 12
/** The limit for all tool results. More would cost much and hide what matters. */
const mostResultBytes = 240_000
/** Bytes of results for each token of the context, so that question, results and answer fit a small model too. */
const resultBytesPerToken = 2

export async function answerQuestion(models: AnswerModels, request: AnswerRequest): Promise<RepositoryAnswer> {
  const { content, question, model, signal } = request
  const whyNot = model === undefined ? models.whyNot() : undefined
  const chosen = whyNot === undefined ? models.find(model) : undefined
  const seeds = await content.search({ query: question, limit: seedHits }, signal)
  const segments = createSegments()
  segments.found(question, seeds)
  if (!chosen) return rankedAnswer(content, seeds, { segments, whyNot })
  return askModel(models, request, { chosen, segments, seed: seedMessage(seeds) })
}

async function askModel(
  models: AnswerModels,
  { content, question, place, signal, onFrame = () => {} }: AnswerRequest,
  { chosen, segments, seed }: { readonly chosen: ChosenModel; readonly segments: Segments; readonly seed: string },
): Promise<RepositoryAnswer> {
  const messages: ModelMessage[] = [
    { role: 'user', text: seed },
    { role: 'user', text: question },
  ]
  let usage = noUsage
  let bytesLeft = Math.min(mostResultBytes, chosen.contextTokens * resultBytesPerToken) - Buffer.byteLength(seed)

  async function runCalls(calls: readonly ModelCall[], isLast: boolean): Promise<void> {
    for (const call of calls) {
      onFrame({ type: 'thinking', text: `${call.name} ${call.input}\n` })
      const { text, isError, found } = await callAnswerTool(content, call, signal)
      signal.throwIfAborted()
      if (found) segments.found(found.query, found.hits)
      const fits = withinBytes(text, Math.max(0, bytesLeft))
      bytesLeft -= Buffer.byteLength(fits)
      const note = isLast || bytesLeft <= 0 ? `\n\n${lastStepNote}` : ''
      messages.push({ role: 'tool', callId: call.id, name: call.name, text: `${fits}${note}`, isError })
    }
  }

  for (let step = 1; ; step++) {
    const isLast = step === mostSteps || bytesLeft <= 0
    const said = createAnswerStep(content, onFrame)
    const { parts, provider, model, ...answer } = await models.stream({
      model: chosen.name,
      system: instructionsFor(content.repository.name),
      messages,
      tools: answerTools,
      place,
      signal,
      onPart: (part) => said.take(part),
    })
    usage = addUsage(usage, answer.usage)
    const calls = callsOf(parts)
    if (calls.length > 0 && !isLast) {
      const { thinking, text } = said.asThinking(parts)
      segments.thought(thinking)
      segments.thought(text)
      messages.push({ role: 'assistant', parts })
      await runCalls(calls, step === mostSteps - 1)
      continue
    }
    const { thinking, text, citations, checked } = await said.asAnswer(parts, noAnswer(calls.length))
    segments.thought(thinking)
    segments.answered(text)
    return {
      repository: content.repository.name,
      answer: text,
      citations: [...citations],
      checked,
      segments: segments.list(),
      provider,
      model,
      usage,
    }
  }
}

function noAnswer(calls: number): string {
  return calls > 0
    ? `The model has searched ${mostSteps} times, or read as much as it may, without an answer. Ask a narrower question.`
    : 'The model gave no answer. Ask again, or with another model.'
}

function withinBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  // A character that is cut becomes a replacement character, and goes.
  const cut = Buffer.from(text).subarray(0, bytes).toString().replace(/�$/, '')
  return `${cut}\n… cut: you have read as much as you may.`
}
