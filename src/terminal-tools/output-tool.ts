/**
 * read_output: the output of a program from any offset. A viewer draws a snapshot, then repeats reads from the offset
 * it has reached. Each read waits until there is news.
 */
import { z } from 'zod'
import { sizeSchema } from '../api/session.ts'
import { timeoutSchema } from '../api/wait.ts'
import { HubError } from '../base/hub-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readDrawn } from './drawn-output.ts'
import { encodeOutput } from './encode-output.ts'
import { viewerSchema } from './input-tools.ts'
import { keepAlive } from './keep-alive.ts'
import type { ToolTarget } from './tool-target.ts'
import { hasEnded } from './tool-target.ts'
import type { TerminalTool } from './terminal-tool.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'
import type { Viewers } from './viewers.ts'
import { waitUntil } from '../base/wait-until.ts'

const outputSchema = z.object({
  data: z.string().optional(),
  encoding: z.enum(['utf8', 'base64']).optional(),
  snapshot: z.string().optional(),
  offset: z.number(),
  next_offset: z.number(),
  dropped: z.number().optional(),
  size: sizeSchema,
  writer: z.string().optional(),
  ended: z.boolean().optional(),
})
type Output = z.output<typeof outputSchema>
/** The facts that a viewer shows beside the output. */
type Surroundings = Pick<Output, 'size' | 'writer' | 'ended'>

interface Request {
  readonly since: number
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly viewer: string | undefined
}

/** Inside an escape sequence a screen cannot be drawn. The rest usually arrives within this time. */
const snapshotWithinMs = 1_000
/** If no snapshot is possible, the viewer draws this much of the output instead. */
const replayBytes = 256 * 1024

export function createOutputTool(viewers: Viewers): TerminalTool {
  function surroundingsOf({ id, terminal }: ToolTarget): Surroundings {
    const { cols, rows } = terminal.size
    const writer = viewers.writerOf(id)
    return {
      size: { cols, rows },
      ...(writer !== undefined && { writer }),
      ...(hasEnded(terminal) && { ended: true }),
    }
  }

  async function takeSnapshot(target: ToolTarget, signal: AbortSignal): Promise<Output> {
    const { terminal } = target
    const drawn = await waitUntil({
      sources: [(listener) => terminal.onChange(listener)],
      look: () => terminal.screen.snapshot(),
      timeoutMs: snapshotWithinMs,
      signal,
    })
    const offset = drawn?.offset ?? Math.max(terminal.firstOffset, terminal.screen.offset - replayBytes)
    return { snapshot: drawn?.drawing ?? '', offset, next_offset: offset, ...surroundingsOf(target) }
  }

  function readOn(target: ToolTarget, { since, maxBytes }: Request): Output {
    const { terminal } = target
    const surroundings = surroundingsOf(target)
    const { offset, bytes, droppedBytes } = readDrawn(terminal, since, maxBytes)
    const isLast = surroundings.ended === true && offset + bytes.length >= terminal.screen.offset
    const { data, encoding, length } = encodeOutput(bytes, { isLast })
    const dropped = droppedBytes > 0 && { dropped: droppedBytes }
    return { data, encoding, offset, next_offset: offset + length, ...dropped, ...surroundings }
  }

  async function waitForMore(target: ToolTarget, request: Request, signal: AbortSignal): Promise<Output> {
    const { id, terminal } = target
    const { since, viewer, timeoutMs } = request
    const lastNews = viewer === undefined ? undefined : viewers.lastNewsOf(id, viewer)
    const known = lastNews ?? newsIn(surroundingsOf(target))
    const more = await waitUntil({
      sources: [(listener) => terminal.onChange(listener), (listener) => viewers.onChange(id, listener)],
      look() {
        const output = readOn(target, request)
        return output.next_offset > since || output.ended || newsIn(output) !== known ? output : undefined
      },
      timeoutMs,
      signal,
    })
    return more ?? readOn(target, request)
  }

  return defineTerminalTool({
    name: 'read_output',
    description:
      'The raw output from an offset, with escape codes, as {data, encoding, offset, next_offset}. Waits for some. Continue at next_offset. dropped: bytes no longer kept.',
    input: {
      since: z.int().default(0).describe('An offset; if negative, bytes before the end.'),
      timeout_ms: timeoutSchema,
      max_bytes: z.int().min(1_024).max(4_194_304).default(262_144),
    },
    peopleInput: {
      viewer: viewerSchema.optional().describe('Who watches; counts as present while it reads.'),
      snapshot: z.boolean().default(false).describe('Return the current screen as escape codes instead, up to offset.'),
    },
    output: outputSchema,
    annotations: readOnly,
    // The data may be long, so it is sent once, as text: the one form that every client shows its model.
    present: (output) => ({ content: [{ type: 'text', text: JSON.stringify(output) }] }),
    async run(target, { since, timeout_ms, max_bytes, viewer, snapshot }, call) {
      const { id, terminal } = target
      using _presence = viewer === undefined ? undefined : viewers.enter(id, viewer)
      using _alive = keepAlive(call)
      const request = { since: startOf(terminal, since), maxBytes: max_bytes, timeoutMs: timeout_ms, viewer }
      const output = snapshot
        ? await takeSnapshot(target, call.signal)
        : await waitForMore(target, request, call.signal)
      if (viewer !== undefined) viewers.setLastNews(id, viewer, newsIn(output))
      return output
    },
  })
}

function newsIn({ size, writer, ended }: Surroundings): string {
  return JSON.stringify({ size, writer, ended })
}

function startOf(terminal: Terminal, since: number): number {
  if (since < 0) return Math.max(terminal.firstOffset, terminal.offset + since)
  if (since <= terminal.offset) return since
  throw new HubError(
    'invalid',
    `"since" (${since}) is past the end of the output (${terminal.offset}). It may belong to an earlier session of this name. Start again at 0.`,
  )
}
