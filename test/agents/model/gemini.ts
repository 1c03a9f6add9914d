/** Gemini's own API, as Gemini CLI speaks it. */
import type { JsonSchema, Turn } from './conversation.ts'
import { readTurns } from './conversation.ts'
import type { Dialect, StreamEvent } from './dialect.ts'
import { stepsOf, usage } from './dialect.ts'
import type { Part } from './part.ts'

interface GenerateRequest {
  readonly contents?: readonly Content[]
  readonly tools?: readonly Toolbox[]
  readonly generationConfig?: { readonly responseJsonSchema?: JsonSchema; readonly responseSchema?: JsonSchema }
}

interface Content {
  readonly role?: string
  readonly parts?: readonly ContentPart[]
}

interface ContentPart {
  readonly text?: string
  readonly functionResponse?: { readonly response?: { readonly output?: unknown; readonly error?: unknown } }
}

interface Toolbox {
  readonly functionDeclarations?: readonly { readonly name: string }[]
}

const usageMetadata = {
  promptTokenCount: usage.input,
  candidatesTokenCount: usage.output,
  totalTokenCount: usage.total,
}

export const gemini: Dialect = {
  path: /:(?:stream)?[gG]enerateContent$/,
  wantsStream: (_body, path) => path.includes(':stream'),
  read(body) {
    const { contents = [], tools = [], generationConfig = {} }: GenerateRequest = body
    const schema = generationConfig.responseJsonSchema ?? generationConfig.responseSchema
    return {
      ...readTurns(contents.flatMap(turnsOf)),
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => ({ name }))),
      ...(schema && { schema }),
    }
  },
  whole: (parts) => responseWith(parts.map(wirePartOf), 'STOP'),
  stream: (parts) => ({
    head: [],
    steps: parts.flatMap((part) =>
      stepsOf(
        part,
        deltasOf(part).map((delta) => chunkOf([wirePartOf(delta)])),
      ),
    ),
    tail: [chunkOf([], 'STOP')],
  }),
  failure: (code, message) => ({ error: { code, message, status: statusNames[code] ?? 'UNKNOWN' } }),
  full: {
    error: {
      code: 400,
      message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
      status: 'INVALID_ARGUMENT',
    },
  },
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

function turnsOf({ role, parts = [] }: Content): readonly Turn[] {
  if (role === 'model') return []
  const answers = parts.flatMap(({ functionResponse }): Turn[] => {
    if (!functionResponse) return []
    const { output, error } = functionResponse.response ?? {}
    const text = output ?? error ?? functionResponse.response ?? ''
    return [{ from: 'tool', text: typeof text === 'string' ? text : JSON.stringify(text) }]
  })
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  return [...answers, { from: 'person', texts }]
}

function chunkOf(parts: readonly object[], finishReason?: string): StreamEvent {
  return { data: responseWith(parts, finishReason) }
}

function responseWith(parts: readonly object[], finishReason?: string): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason !== undefined && { finishReason }) }],
    usageMetadata,
    modelVersion: 'scripted',
  }
}

/** A call arrives in one piece. */
function deltasOf(part: Part): readonly Part[] {
  return part.is === 'call' ? [part] : part.deltas.map((delta) => ({ ...part, deltas: [delta] }))
}

function wirePartOf(part: Part): object {
  switch (part.is) {
    case 'thought':
      return { text: part.deltas.join(''), thought: true }
    case 'text':
      return { text: part.deltas.join('') }
    case 'call':
      return { functionCall: { id: part.id, name: part.tool.name, args: part.input }, thoughtSignature: 'c2lnbmVk' }
  }
}
