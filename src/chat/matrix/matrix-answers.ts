/** The parts of a homeserver's answers that a bridge needs. */
import { z } from 'zod'

/** The ids of Matrix have at most 255 bytes. */
export const shortText = z.string().min(1).max(255)
/** Matrix sets no limit for tokens. Real ones have a few hundred characters, and this one is stored. */
const syncToken = z.string().min(1).max(16_384)

export const eventSchema = z.object({
  event_id: shortText,
  type: z.string(),
  sender: shortText,
  content: z.record(z.string(), z.unknown()).catch({}),
  /** The event that a redaction is about, in rooms before version 11. */
  redacts: z.string().optional().catch(undefined),
  state_key: z.string().optional().catch(undefined),
  unsigned: z
    .object({ transaction_id: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export type RoomEvent = z.output<typeof eventSchema>

/** A room may hold anything. Entries that do not look like events are left out. */
const eventsSchema = z
  .array(z.unknown())
  .transform((all) => all.flatMap((each) => eventSchema.safeParse(each).data ?? []))

/** The state that an invited user may see. These events have no id. */
const strippedEventsSchema = z
  .array(z.unknown())
  .transform((all) => all.flatMap((each) => eventSchema.omit({ event_id: true }).safeParse(each).data ?? []))

export const receiptsSchema = z.record(
  z.string(),
  z.object({ 'm.read': z.record(z.string(), z.unknown()).optional() }).catch({}),
)

export const syncSchema = z.object({
  next_batch: syncToken,
  rooms: z
    .object({
      join: z
        .record(
          z.string(),
          z.object({
            timeline: z
              .object({
                events: eventsSchema.default([]),
                limited: z.boolean().default(false),
                prev_batch: z.string().optional(),
              })
              .optional(),
            ephemeral: z
              .object({ events: z.array(z.looseObject({ type: z.string() }).catch({ type: '' })).default([]) })
              .optional(),
          }),
        )
        .default({}),
      leave: z.record(z.string(), z.unknown()).default({}),
      invite: z
        .record(
          z.string(),
          z.object({ invite_state: z.object({ events: strippedEventsSchema.default([]) }).optional() }).catch({}),
        )
        .default({}),
    })
    .optional(),
})

export const messagesSchema = z.object({ chunk: eventsSchema, end: z.string().optional() })
export const errorSchema = z.object({
  errcode: z.string().catch(''),
  error: z.string().catch(''),
  retry_after_ms: z.number().nonnegative().optional().catch(undefined),
})
