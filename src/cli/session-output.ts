/** What a session prints, read over MCP: a drawing of its screen to begin with, and everything that comes behind it. */
import { z } from 'zod'
import { sizeSchema } from '../api/session.ts'
import type { TerminalSize } from '../api/session.ts'
import { CliError } from './cli-error.ts'
import type { HubConnection, ToolAnswer } from './hub-client.ts'

export interface Drawing {
  readonly sequences: string
  /** What comes behind it begins here. If nothing could be drawn, that is much of what is on the screen. */
  readonly offset: number
  readonly size: TerminalSize
  /** The viewer who types. The hub takes it for told: it is no news to a reading that follows. */
  readonly writer: string | undefined
}

export interface Output {
  readonly bytes: Uint8Array
  readonly nextOffset: number
  /** Bytes that are kept no longer. */
  readonly dropped: number
  readonly size: TerminalSize
  /** The viewer who types. */
  readonly writer: string | undefined
  readonly hasEnded: boolean
}

/** Shorter than what proxies cut off. */
const pollMs = 25_000
const patienceMs = pollMs + 15_000

const drawingAnswer = z.looseObject({
  snapshot: z.string(),
  offset: z.number(),
  size: sizeSchema,
  writer: z.string().optional(),
})

const outputAnswer = z.looseObject({
  data: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  next_offset: z.number(),
  dropped: z.number().optional(),
  size: sizeSchema,
  writer: z.string().optional(),
  ended: z.boolean().optional(),
})

export async function readDrawing(hub: HubConnection, session: string, viewer?: string): Promise<Drawing> {
  const answer = await hub.callTool('read_output', { session, snapshot: true, ...(viewer && { viewer }) })
  const { snapshot, offset, size, writer } = drawingAnswer.parse(contentOf(answer))
  return { sequences: snapshot, offset, size, writer }
}

/** Waits until there is something to tell, but not for ever: the answer may hold nothing new. */
export async function readOutput(hub: HubConnection, session: string, since: number, viewer?: string): Promise<Output> {
  const question = { session, since, timeout_ms: pollMs, ...(viewer && { viewer }) }
  const answer = await hub.callTool('read_output', question, { timeoutMs: patienceMs })
  const { data, encoding, next_offset, dropped, size, writer, ended } = outputAnswer.parse(contentOf(answer))
  return {
    bytes: Buffer.from(data, encoding),
    nextOffset: next_offset,
    dropped: dropped ?? 0,
    size,
    writer,
    hasEnded: ended ?? false,
  }
}

/** Output is given once, as text or structured. */
function contentOf({ isError, structured, text }: ToolAnswer): unknown {
  if (isError) throw new CliError('tool-error', text)
  return structured ?? JSON.parse(text)
}
