/** The types of this folder: models, their messages and their answers. Nothing here knows the AI SDK. */
import type { EventPlace } from '../api/event.ts'
import type { Usage } from '../api/thread.ts'

export const providerNames = ['openai', 'anthropic', 'google', 'openai-compatible'] as const
export type ProviderName = (typeof providerNames)[number]

/** A model that can be called now. */
export interface ChosenModel {
  readonly provider: ProviderName
  /** As its provider calls it. */
  readonly model: string
  /** `provider/model`, which `find` takes again. */
  readonly name: string
  readonly key: string | undefined
  readonly baseUrl: string | undefined
  /** How much it can read and write in one call. */
  readonly contextTokens: number
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AnswerPart[] }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly name: string
      readonly text: string
      readonly isError: boolean
    }

/** A part of an answer. `seal` goes back to its provider with the part. No other provider understands it. */
export type AnswerPart = (
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | ({ readonly type: 'call' } & ModelCall)
) & { readonly seal?: Seal | undefined }

export interface ModelCall {
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them. They may not be a JSON object. */
  readonly input: string
}

export type Seal = Readonly<Record<string, unknown>>

export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

interface ModelRequest {
  /** `provider/model`. By default the configured one. */
  readonly model?: string | undefined
  readonly system?: string | undefined
  /** Where the call belongs in the record. The place of the session's running turn is added. */
  readonly place: EventPlace
  readonly signal: AbortSignal
}

export interface GenerateRequest extends ModelRequest {
  readonly prompt: string
  /** Lets the model search the web with the tool of its provider. */
  readonly search?: boolean
  readonly maxOutputTokens?: number
}

export interface StreamRequest extends ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /** Called as the parts arrive. */
  readonly onPart: (part: StreamedPart) => void
}

/** `index` is the place of the part in the answer. */
export type StreamedPart =
  | { readonly is: 'growing'; readonly index: number; readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly is: 'whole'; readonly index: number; readonly part: AnswerPart }

export interface GeneratedAnswer {
  readonly text: string
  readonly provider: ProviderName
  readonly model: string
  readonly usage: Usage
  /** The pages that a search found. */
  readonly sources: readonly Source[]
}

export interface Source {
  readonly url: string
  readonly title?: string | undefined
}

export interface StreamedAnswer {
  readonly provider: ProviderName
  readonly model: string
  readonly parts: readonly AnswerPart[]
  readonly usage: Usage
  readonly finish: FinishReason
}

export type FinishReason = 'stop' | 'calls' | 'length' | 'filtered' | 'other'
