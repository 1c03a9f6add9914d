/** Where a hub continues in the journal of an agent's program, and the messages of an earlier hub to the program. */
import { z } from 'zod'
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Place } from './transcript.ts'
import type { Outgoing } from './wire.ts'
import { readOwnLine } from './wire.ts'

export const firstPlace: Place = { offset: 0, session: undefined, turn: 0, isOpen: false, texts: 0 }

const placeSchema = z.object({
  offset: z.int(),
  session: z.string().optional(),
  turn: z.int(),
  isOpen: z.boolean(),
  texts: z.int(),
  model: z.string().optional(),
  unasked: z.string().optional(),
  hasAsked: z.boolean().default(false),
})

export function readPlace(progress: string | undefined): Place {
  if (progress === undefined) return firstPlace
  const { session, model, unasked, ...place } = placeSchema.parse(JSON.parse(progress))
  return { ...place, session, model, unasked }
}

export interface PastInput {
  readonly offset: number
  readonly at: string
  readonly said: Outgoing
}

/** The prompts and answers of an earlier hub, without the prompts that are in the thread already. */
export function pastInputs(program: PipedProgram, { turn }: Place): PastInput[] {
  return [...program.inputs(0)].flatMap(({ offset, at, text }) => {
    const said = text === undefined ? undefined : readOwnLine(text)
    if (!said || said.is === 'other' || (said.is === 'prompt' && said.id <= turn)) return []
    return [{ offset, at: new Date(at).toISOString(), said }]
  })
}
