/**
 * The models that the hub itself calls: which one is configured, one answer, and a streamed answer for the built-in
 * agent. Every call is recorded before it is sent.
 */
import type { EventPlace } from '../api/event.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { ModelSettings } from './choose-model.ts'
import { chooseModel, keysIn } from './choose-model.ts'
import type {
  AnswerPart,
  ChosenModel,
  FinishReason,
  GeneratedAnswer,
  GenerateRequest,
  Seal,
  StreamedAnswer,
  StreamedPart,
  StreamRequest,
} from './model.ts'
import { recordCall, shortError, shortResponse } from './recorded-call.ts'
import { wasRefused, withRetries } from './retry.ts'
import type { OpenModel, SdkPart, SdkRequest } from './sdk.ts'
import { openModel, searchTools } from './sdk.ts'

export type { ModelSettings } from './choose-model.ts'
export { readInput } from './sdk.ts'
export type {
  AnswerPart,
  ChosenModel,
  GeneratedAnswer,
  GenerateRequest,
  ModelCall,
  ModelMessage,
  ModelTool,
  StreamedAnswer,
  StreamedPart,
  StreamRequest,
} from './model.ts'

export interface ModelsOptions {
  readonly settings: ModelSettings
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  readonly redactor: Pick<Redactor, 'addSecret'>
  /** The place of the turn that a session works on. */
  readonly placeOf?: (session: string) => Omit<EventPlace, 'session'> | undefined
}

export interface Models {
  /** `name` is `provider/model`; by default the configured one. Throws a HubError that says what to set. */
  find(name?: string): ChosenModel
  /** Why no model can be called. `undefined`: one can. */
  whyNot(): string | undefined
  /** Whether `generate` with `search` can work. */
  canSearch(name?: string): boolean
  generate(request: GenerateRequest): Promise<GeneratedAnswer>
  stream(request: StreamRequest): Promise<StreamedAnswer>
}

export function createModels({ settings, events, redactor, placeOf = () => undefined }: ModelsOptions): Models {
  for (const key of keysIn(settings)) redactor.addSecret(key)
  const opened = new Map<string, Promise<OpenModel>>()

  function open(chosen: ChosenModel): Promise<OpenModel> {
    const model = opened.get(chosen.name) ?? openModel(chosen)
    opened.set(chosen.name, model)
    return model
  }

  function record(place: EventPlace, chosen: ChosenModel, request: SdkRequest) {
    const ofTurn = place.session === undefined ? {} : placeOf(place.session)
    return recordCall(events, { place: { ...ofTurn, ...place }, chosen, request })
  }

  function find(name?: string): ChosenModel {
    return chooseModel(settings, name)
  }

  return {
    find,
    whyNot() {
      try {
        find()
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    },
    canSearch: (name) => searchTools[find(name).provider] !== undefined,
    async generate({ model: name, system, prompt, search = false, maxOutputTokens, place, signal }) {
      const chosen = find(name)
      if (search && searchTools[chosen.provider] === undefined) {
        throw new HubError('unavailable', `The model ${chosen.name} cannot search the web.`)
      }
      const messages = [{ role: 'user' as const, text: prompt }]
      const request: SdkRequest = { system, messages, tools: [], search, maxOutputTokens, signal }
      const model = await open(chosen)
      const recorded = await record(place, chosen, request)
      try {
        const { parts, sources, usage, finish } = await withRetries(() => model.generate(request), signal)
        recorded.end({ outcome: 'ok', finish_reason: finish, response: shortResponse(parts), usage })
        const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
        return { text, provider: chosen.provider, model: chosen.model, usage, sources }
      } catch (error) {
        recorded.end(failedOutcome(error, signal))
        throw explained(error, chosen, signal)
      }
    },
    async stream({ model: name, system, messages, tools, place, signal, onPart }) {
      const chosen = find(name)
      const request: SdkRequest = { system, messages, tools, search: false, maxOutputTokens: undefined, signal }
      const model = await open(chosen)
      const recorded = await record(place, chosen, request)
      const answer = createAnswer(onPart)
      try {
        for await (const part of await withRetries(() => model.stream(request), signal)) answer.take(part)
        signal.throwIfAborted()
        const { parts, usage, finish, stream } = answer.end()
        recorded.end({ outcome: 'ok', finish_reason: finish, response: shortResponse(parts), stream, usage })
        return { provider: chosen.provider, model: chosen.model, parts, usage, finish }
      } catch (error) {
        const { parts, usage, stream } = answer.read()
        const response = parts.length > 0 ? { response: shortResponse(parts) } : {}
        recorded.end({ ...failedOutcome(error, signal), ...response, stream, usage })
        throw explained(error, chosen, signal)
      }
    },
  }
}

/** Puts the parts of a stream together. */
function createAnswer(onPart: (part: StreamedPart) => void) {
  const startedAt = performance.now()
  const parts: AnswerPart[] = []
  /** The places of the texts that are not whole yet. */
  const growing = new Map<string, number>()
  let count = 0
  let firstPartMs: number | undefined
  let usage = { input_tokens: 0, output_tokens: 0 }
  let finish: FinishReason | undefined

  function add(part: AnswerPart): number {
    return parts.push(part) - 1
  }

  function whole(index: number): void {
    const part = parts[index]!
    if (part.type === 'call' || part.text !== '') onPart({ is: 'whole', index, part })
  }

  function textAt(type: 'text' | 'thinking', id: string, seal?: Seal): number {
    const index = growing.get(`${type} ${id}`) ?? add({ type, text: '' })
    growing.set(`${type} ${id}`, index)
    if (seal) parts[index] = { ...parts[index]!, seal: { ...parts[index]!.seal, ...seal } }
    return index
  }

  const read = () => ({
    parts: parts.filter((part) => part.type === 'call' || part.text !== '' || part.seal !== undefined),
    usage,
    stream: { parts: count, ...(firstPartMs !== undefined && { first_part_ms: firstPartMs }) },
  })

  return {
    read,
    take(part: SdkPart): void {
      count++
      firstPartMs ??= Math.round(performance.now() - startedAt)
      switch (part.is) {
        case 'begin':
          textAt(part.type, part.id, part.seal)
          break
        case 'delta': {
          const index = textAt(part.type, part.id)
          const before = parts[index]
          if (before?.type !== part.type) break
          const text = before.text + part.text
          parts[index] = { ...before, text }
          onPart({ is: 'growing', index, type: part.type, text })
          break
        }
        case 'end':
          whole(textAt(part.type, part.id, part.seal))
          growing.delete(`${part.type} ${part.id}`)
          break
        case 'call':
          whole(add(part.part))
          break
        case 'finish':
          ;({ usage, finish } = part)
      }
    },
    end() {
      if (finish === undefined) throw new Error('The answer ended in the middle.')
      return { ...read(), finish }
    },
  }
}

function failedOutcome(error: unknown, signal: AbortSignal) {
  return signal.aborted ? { outcome: 'cancelled' as const } : { outcome: 'error' as const, error: shortError(error) }
}

/** Explains an error to the caller, with the provider's own message. */
function explained(error: unknown, { name, provider, baseUrl }: ChosenModel, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof HubError) return error
  const { statusCode } = error as { statusCode?: unknown }
  const data = { provider, ...(typeof statusCode === 'number' && { status: statusCode }) }
  if (wasRefused(error)) {
    const address = baseUrl === undefined ? provider : new URL(baseUrl).origin
    return new HubError('unavailable', `No server answers at ${address}. Start it, then try again.`, {
      cause: error,
      data,
    })
  }
  const status = typeof statusCode === 'number' ? ` (HTTP ${statusCode})` : ''
  const hint = statusCode === 401 || statusCode === 403 ? ' Check the key that the hub was started with.' : ''
  return new HubError('unavailable', `The model ${name} failed${status}: ${sentence(messageOf(error))}${hint}`, {
    cause: error,
    data,
  })
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
