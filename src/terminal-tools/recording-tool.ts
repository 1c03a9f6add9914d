/**
 * read_recording: the recording of a terminal from any moment. A player asks for the screen at a moment, then reads on
 * from the offset it has reached. Each answer is limited, so a long recording is never loaded as a whole.
 */
import { z } from 'zod'
import { sizeSchema } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { encodeOutput } from './encode-output.ts'
import type { TerminalTool } from './terminal-tool.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'
import { assertModule, hasEnded } from './tool-target.ts'

const recordingSchema = z.object({
  started_at: z.string(),
  duration_ms: z.int().describe('To the last output so far.'),
  snapshot: z.string().optional(),
  size: sizeSchema.optional().describe('Of the snapshot.'),
  data: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  offset: z.int(),
  next_offset: z.int(),
  times: z.array(z.object({ at_ms: z.int(), offset: z.int(), size: sizeSchema.optional() })),
  ended: z.boolean().optional().describe('The program has ended.'),
})

/** Limits the times too: a program that prints a little at a time has many of them in little data. */
const mostTimes = 2_000

export const readRecording: TerminalTool = defineTerminalTool({
  name: 'read_recording',
  description:
    'The recording from a moment on: with at_ms the screen then, as escape codes in snapshot, and the output after it, with the times of its offsets. Continue with since: next_offset.',
  input: {
    at_ms: z.int().min(0).default(0).describe('Milliseconds after started_at.'),
    since: z.int().min(0).optional().describe('An offset, instead of at_ms; then there is no snapshot.'),
    max_bytes: z.int().min(0).max(4_194_304).default(262_144).describe('Of data; 0: only the snapshot.'),
  },
  output: recordingSchema,
  annotations: readOnly,
  // The data may be long, so it is sent once, as text.
  present: (output) => ({ content: [{ type: 'text', text: JSON.stringify(output) }] }),
  async run(target, { at_ms, since, max_bytes }) {
    assertModule(target, 'recording')
    const { terminal } = target
    const recorded = terminal.recordedTimes()
    const span = recorded.span()
    if (!span) throw new HubError('unavailable', `Nothing is recorded of "${target.name}" yet.`)
    const screen = since === undefined ? await terminal.screenAt(recorded.offsetAt(span.from + at_ms)) : undefined
    const start = since ?? screen!.offset
    const { offset, bytes } = max_bytes === 0 ? nothingAt(start) : terminal.readOutput(start, max_bytes)
    const times = recorded.between(offset, offset + bytes.length)
    const shown = times.length > mostTimes ? bytes.subarray(0, times[mostTimes]!.offset - offset) : bytes
    const isLast = hasEnded(terminal) && offset + shown.length >= terminal.offset
    const { data, encoding, length } = encodeOutput(shown, { isLast })
    return {
      started_at: new Date(span.from).toISOString(),
      duration_ms: span.to - span.from,
      ...(screen && { snapshot: screen.drawing, size: { cols: screen.size.cols, rows: screen.size.rows } }),
      data,
      encoding,
      offset,
      next_offset: offset + length,
      times: times.slice(0, mostTimes).map(({ at, offset: place, size }) => ({
        at_ms: Math.max(0, at - span.from),
        offset: place,
        ...(size && { size: { cols: size.cols, rows: size.rows } }),
      })),
      ...(hasEnded(terminal) && { ended: true }),
    }
  },
})

function nothingAt(offset: number) {
  return { offset, bytes: Buffer.alloc(0) }
}
