/** Reads a session over MCP: first a snapshot of its screen, then the output that follows it. */
import { z } from 'zod'
import { sizeSchema } from '../../api/session.ts'
import type { TerminalSize } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import type { HubClient, ToolAnswer } from '../hub-client/hub-client.ts'

export interface Snapshot {
  readonly sequences: string
  /** The output after the snapshot begins here. If no snapshot could be taken, this is far enough back to fill the screen. */
  readonly offset: number
  readonly size: TerminalSize
  /** The current writer. The hub considers the viewer informed: a following read does not return early to report it. */
  readonly writer: string | undefined
}

export interface Output {
  readonly bytes: Uint8Array
  readonly nextOffset: number
  /** The number of bytes before these that are no longer kept. */
  readonly dropped: number
  readonly size: TerminalSize
  /** The current writer. */
  readonly writer: string | undefined
  readonly hasEnded: boolean
}

/** Shorter than the usual timeouts of proxies. */
const pollMs = 25_000
const requestTimeoutMs = pollMs + 15_000

const snapshotAnswer = z.looseObject({
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

export async function readSnapshot(hub: HubClient, session: string, viewer?: string): Promise<Snapshot> {
  const answer = await hub.callTool('read_output', { session, snapshot: true, ...(viewer && { viewer }) })
  const { snapshot, offset, size, writer } = snapshotAnswer.parse(contentOf(answer))
  return { sequences: snapshot, offset, size, writer }
}

/** Waits for news, but not for ever: the result may be empty. */
export async function readOutput(hub: HubClient, session: string, since: number, viewer?: string): Promise<Output> {
  const input = { session, since, timeout_ms: pollMs, ...(viewer && { viewer }) }
  const answer = await hub.callTool('read_output', input, { timeoutMs: requestTimeoutMs })
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

/** The hub returns output either as text or as structured content, never as both. */
function contentOf({ isError, structured, text, result }: ToolAnswer): unknown {
  if (isError) throw new CliError('tool-error', text, { cause: result })
  return structured ?? JSON.parse(text)
}
