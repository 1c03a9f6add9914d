/**
 * How far the driver has read the output of Claude Code, and the state it needs to continue. Stored with the thread.
 */
import { z } from 'zod'
import type { PipedProgram } from '../../terminal/terminal.ts'
import { parseWritten } from './control-message.ts'
import { newReading, readingSchema } from './read-message.ts'

const placeSchema = z.object({
  offset: z.number(),
  reading: readingSchema,
  /** The cost of all turns so far, as Claude Code last reported it. */
  cost: z.number(),
  conversation: z.string().optional(),
  /** It has called a hook of the driver. */
  runsHooks: z.boolean(),
  permissionMode: z.string().optional(),
  /** The folder it works in. Its hooks say so; its permission questions do not. */
  cwd: z.string().optional(),
  /** The prompts whose turn has not ended. `isStarted`: Claude Code works on it. */
  prompts: z.array(z.object({ uuid: z.string(), isStarted: z.boolean() })),
})
export type Place = z.output<typeof placeSchema>

export function placeText(place: Place): string {
  return JSON.stringify(place)
}

/** `stored`: as an earlier hub left it. */
export function placeToReadFrom(stored: string | undefined, program: PipedProgram): Place {
  if (stored === undefined) return { ...startOf(program), prompts: promptsAfter(program, 0) }
  const place = placeSchema.parse(JSON.parse(stored))
  const known = new Set(place.prompts.map(({ uuid }) => uuid))
  const later = promptsAfter(program, place.offset).filter(({ uuid }) => !known.has(uuid))
  return { ...place, prompts: [...place.prompts, ...later] }
}

function startOf({ firstOffset }: PipedProgram): Place {
  return { offset: firstOffset, reading: newReading, cost: 0, runsHooks: false, prompts: [] }
}

/** The prompts that were written when Claude Code had printed at least this much. */
function promptsAfter(program: PipedProgram, offset: number): Place['prompts'] {
  return [...program.inputs(0)].flatMap((input) => {
    const written = input.offset >= offset && input.text !== undefined ? parseWritten(input.text) : undefined
    return written?.type === 'user' ? [{ uuid: written.uuid, isStarted: false }] : []
  })
}

/** The requests of Claude Code that were answered, by this hub or an earlier one. */
export function answeredRequests(program: PipedProgram): Set<string> {
  return new Set(
    [...program.inputs(0)].flatMap(({ text }) => {
      const written = text === undefined ? undefined : parseWritten(text)
      return written?.type === 'control_response' ? [written.response.request_id] : []
    }),
  )
}
