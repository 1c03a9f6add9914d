/**
 * read_output: what a program prints, from any offset on. A viewer draws a snapshot, and then asks again and again from
 * where it stands; each question waits until there is something to tell.
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
import type { Subject } from './subject.ts'
import { hasEnded } from './subject.ts'
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
/** What a viewer shows beside the output. */
type Surroundings = Pick<Output, 'size' | 'writer' | 'ended'>

interface Question {
  readonly since: number
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly viewer: string | undefined
}

/** In the middle of a sequence a screen cannot be drawn; the rest is usually there in no time. */
const snapshotWithinMs = 1_000
/** Where it cannot be drawn at all, so much of the output is to be drawn instead. */
const replayBytes = 256 * 1024

export function createOutputTool(viewers: Viewers): TerminalTool {
  function surroundingsOf({ id, terminal }: Subject): Surroundings {
    const { cols, rows } = terminal.size
    const writer = viewers.writerOf(id)
    return {
      size: { cols, rows },
      ...(writer !== undefined && { writer }),
      ...(hasEnded(terminal) && { ended: true }),
    }
  }

  async function takeSnapshot(subject: Subject, signal: AbortSignal): Promise<Output> {
    const { terminal } = subject
    const drawn = await waitUntil({
      sources: [(listener) => terminal.onChange(listener)],
      look: () => terminal.screen.snapshot(),
      timeoutMs: snapshotWithinMs,
      signal,
    })
    const offset = drawn?.offset ?? Math.max(terminal.firstOffset, terminal.screen.offset - replayBytes)
    return { snapshot: drawn?.drawing ?? '', offset, next_offset: offset, ...surroundingsOf(subject) }
  }

  function readOn(subject: Subject, { since, maxBytes }: Question): Output {
    const { terminal } = subject
    const surroundings = surroundingsOf(subject)
    const { offset, bytes, droppedBytes } = readDrawn(terminal, since, maxBytes)
    const isLast = surroundings.ended === true && offset + bytes.length >= terminal.screen.offset
    const { data, encoding, length } = encodeOutput(bytes, { isLast })
    const dropped = droppedBytes > 0 && { dropped: droppedBytes }
    return { data, encoding, offset, next_offset: offset + length, ...dropped, ...surroundings }
  }

  async function waitForMore(subject: Subject, question: Question, signal: AbortSignal): Promise<Output> {
    const { id, terminal } = subject
    const { since, viewer, timeoutMs } = question
    const told = viewer === undefined ? undefined : viewers.toldTo(id, viewer)
    const known = told ?? newsIn(surroundingsOf(subject))
    const more = await waitUntil({
      sources: [(listener) => terminal.onChange(listener), (listener) => viewers.onChange(id, listener)],
      look() {
        const output = readOn(subject, question)
        return output.next_offset > since || output.ended || newsIn(output) !== known ? output : undefined
      },
      timeoutMs,
      signal,
    })
    return more ?? readOn(subject, question)
  }

  return defineTerminalTool({
    name: 'read_output',
    description:
      'The raw output from an offset on, escape codes and all, as {data, encoding, offset, next_offset}. Waits until there is some; go on from next_offset. dropped: bytes no longer kept.',
    input: {
      since: z.int().default(0).describe('An offset; negative: so many bytes before the end.'),
      timeout_ms: timeoutSchema,
      max_bytes: z.int().min(1_024).max(4_194_304).default(262_144),
    },
    peopleInput: {
      viewer: viewerSchema.optional().describe('Who watches; counts as present while it asks.'),
      snapshot: z.boolean().default(false).describe('Instead, what draws the screen as it is now, up to offset.'),
    },
    output: outputSchema,
    annotations: readOnly,
    // Once, and as text: the one form that every client shows its model. The data may be long.
    present: (output) => ({ content: [{ type: 'text', text: JSON.stringify(output) }] }),
    async run(subject, { since, timeout_ms, max_bytes, viewer, snapshot }, call) {
      const { id, terminal } = subject
      using _presence = viewer === undefined ? undefined : viewers.enter(id, viewer)
      using _alive = keepAlive(call)
      const question = { since: startOf(terminal, since), maxBytes: max_bytes, timeoutMs: timeout_ms, viewer }
      const output = snapshot
        ? await takeSnapshot(subject, call.signal)
        : await waitForMore(subject, question, call.signal)
      if (viewer !== undefined) viewers.tell(id, viewer, newsIn(output))
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
    `"since": ${since} lies ahead, the output ends at ${terminal.offset}. Is it of another session of this name? Begin anew.`,
  )
}
