/**
 * The only file that imports the AI SDK, and only when a model is first called. It uses the SDK's models and not its
 * loop, because every tool call has to pass the hub's own gate.
 */
import type { OpenAIProvider } from '@ai-sdk/openai'
import type { Usage } from '../api/thread.ts'
import type { AnswerPart, ChosenModel, FinishReason, ModelMessage, ModelTool, Seal, Source } from './model.ts'

type LanguageModel = ReturnType<OpenAIProvider['responses']>
type CallOptions = Parameters<LanguageModel['doStream']>[0]
type Prompt = CallOptions['prompt']
type PromptPart = Extract<Prompt[number], { role: 'assistant' }>['content'][number]
type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
type Finish = Extract<StreamPart, { type: 'finish' }>
type SealOf = NonNullable<Extract<StreamPart, { type: 'text-start' }>['providerMetadata']>
type SdkTool = NonNullable<CallOptions['tools']>[number]

export interface SdkRequest {
  readonly system: string | undefined
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly search: boolean
  readonly maxOutputTokens: number | undefined
  readonly signal: AbortSignal
}

export interface OpenModel {
  generate(request: SdkRequest): Promise<WholeAnswer>
  stream(request: SdkRequest): Promise<AsyncIterable<SdkPart>>
}

export interface WholeAnswer {
  readonly parts: readonly AnswerPart[]
  readonly sources: readonly Source[]
  readonly usage: Usage
  readonly finish: FinishReason
}

/** `id` connects the parts of one text. */
export type SdkPart =
  | { readonly is: 'begin' | 'end'; readonly type: 'text' | 'thinking'; readonly id: string; readonly seal?: Seal }
  | { readonly is: 'delta'; readonly type: 'text' | 'thinking'; readonly id: string; readonly text: string }
  | { readonly is: 'call'; readonly part: AnswerPart }
  | { readonly is: 'finish'; readonly usage: Usage; readonly finish: FinishReason }

/** OpenAI must not keep the conversation, and gets everything back with each request. Anthropic caches only if asked. */
const providerOptions = { openai: { store: false }, anthropic: { cacheControl: { type: 'ephemeral' } } }

export async function openModel(chosen: ChosenModel): Promise<OpenModel> {
  const model = await languageModel(chosen)
  return {
    async generate(request) {
      const { content, usage, finishReason } = await model.doGenerate(optionsOf(chosen, request))
      return {
        parts: content.flatMap((part): AnswerPart[] => {
          if (part.type === 'text') return [{ type: 'text', text: part.text }]
          return part.type === 'reasoning' ? [{ type: 'thinking', text: part.text }] : []
        }),
        sources: content.flatMap((part) =>
          part.type === 'source' && part.sourceType === 'url' ? [{ url: part.url, title: part.title }] : [],
        ),
        usage: usageOf(usage),
        finish: finishOf(finishReason),
      }
    },
    async stream(request) {
      const { stream } = await model.doStream(optionsOf(chosen, request))
      return readParts(stream)
    },
  }
}

async function languageModel({ provider, model, key, baseUrl }: ChosenModel): Promise<LanguageModel> {
  const apiKey = key === undefined ? {} : { apiKey: key }
  const settings = { ...apiKey, ...(baseUrl !== undefined && { baseURL: baseUrl }) }
  switch (provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model)
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings).languageModel(model)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings).languageModel(model)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const server = { ...apiKey, name: provider, baseURL: baseUrl ?? '', includeUsage: true }
      return createOpenAICompatible(server).chatModel(model)
    }
  }
}

function optionsOf({ provider }: ChosenModel, request: SdkRequest): CallOptions {
  const { system, messages, search, maxOutputTokens, signal } = request
  const tools: SdkTool[] = request.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }))
  const searchTool = search ? searchTools[provider] : undefined
  if (searchTool) tools.push(searchTool)
  return {
    prompt: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...promptOf(messages)],
    ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' as const } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    abortSignal: signal,
    providerOptions,
  }
}

export const searchTools: Readonly<Partial<Record<ChosenModel['provider'], SdkTool>>> = {
  openai: { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
  anthropic: { type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 5 } },
  google: { type: 'provider', id: 'google.google_search', name: 'google_search', args: {} },
}

/** Results that follow one another become one message, as providers want it for parallel calls. */
function promptOf(messages: readonly ModelMessage[]): Prompt {
  const prompt: Prompt = []
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] })
        break
      case 'assistant':
        prompt.push({ role: 'assistant', content: message.parts.map(promptPart) })
        break
      case 'tool': {
        const { callId: toolCallId, name: toolName, text: value, isError } = message
        const output = { type: isError ? ('error-text' as const) : ('text' as const), value }
        const result = { type: 'tool-result' as const, toolCallId, toolName, output }
        const last = prompt.at(-1)
        if (last?.role === 'tool') last.content.push(result)
        else prompt.push({ role: 'tool', content: [result] })
      }
    }
  }
  return prompt
}

function promptPart(part: AnswerPart): PromptPart {
  const sealed = part.seal && { providerOptions: part.seal as SealOf }
  if (part.type === 'call') {
    return {
      type: 'tool-call',
      toolCallId: part.id,
      toolName: part.name,
      input: readInput(part.input) ?? {},
      ...sealed,
    }
  }
  return { type: part.type === 'text' ? 'text' : 'reasoning', text: part.text, ...sealed }
}

/** `undefined`: it is not a JSON object. */
export function readInput(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

async function* readParts(stream: ReadableStream<StreamPart>): AsyncIterable<SdkPart> {
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        yield { is: 'begin', type: kindOf(part.type), id: part.id, ...sealOf(part) }
        break
      case 'text-delta':
      case 'reasoning-delta':
        yield { is: 'delta', type: kindOf(part.type), id: part.id, text: part.delta }
        break
      case 'text-end':
      case 'reasoning-end':
        yield { is: 'end', type: kindOf(part.type), id: part.id, ...sealOf(part) }
        break
      case 'tool-call':
        // A tool of the provider itself has run already.
        if (part.providerExecuted) break
        yield {
          is: 'call',
          part: { type: 'call', id: part.toolCallId, name: part.toolName, input: part.input, ...sealOf(part) },
        }
        break
      case 'finish':
        yield { is: 'finish', usage: usageOf(part.usage), finish: finishOf(part.finishReason) }
        break
      case 'error':
        throw part.error
      default:
        // The hub has no use for the others.
        break
    }
  }
}

function kindOf(type: string): 'text' | 'thinking' {
  return type.startsWith('text') ? 'text' : 'thinking'
}

function sealOf({ providerMetadata }: { providerMetadata?: SealOf }): { seal?: Seal } {
  return providerMetadata ? { seal: providerMetadata } : {}
}

/** Some compatible servers report what a call cost. */
function usageOf({ inputTokens, outputTokens, raw }: Finish['usage']): Usage {
  const cost = raw?.['cost']
  return {
    input_tokens: inputTokens.total ?? 0,
    output_tokens: outputTokens.total ?? 0,
    ...(typeof cost === 'number' && { cost_usd: cost }),
  }
}

function finishOf({ unified }: Finish['finishReason']): FinishReason {
  switch (unified) {
    case 'stop':
    case 'length':
      return unified
    case 'tool-calls':
      return 'calls'
    case 'content-filter':
      return 'filtered'
    case 'error':
    case 'interrupted':
    case 'other':
      return 'other'
  }
}
