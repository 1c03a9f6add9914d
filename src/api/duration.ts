import { z } from 'zod'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Seconds, or text such as `90s`, `15m`, `12h`, `7d`. */
export const durationSchema = z
  .union([
    z.number().positive(),
    z.string().regex(/^\d{1,9}[smhd]$/, 'a number of seconds, or text such as "90s", "15m", "12h" or "7d"'),
  ])
  .describe('Seconds, or text such as "90s", "15m", "12h", "7d".')

export function toMilliseconds(duration: z.output<typeof durationSchema>): number {
  if (typeof duration === 'number') return duration * 1_000
  return Number(duration.slice(0, -1)) * unitMs[duration.at(-1) as keyof typeof unitMs]
}
