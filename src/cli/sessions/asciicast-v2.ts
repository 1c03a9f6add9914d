/** Rewrites an asciicast v3 as v2, which older players and editors read: times since the start, and another header. */
import { z } from 'zod'

const header = z.object({
  term: z.object({ cols: z.number(), rows: z.number(), type: z.string().optional() }),
  timestamp: z.number().optional(),
  title: z.string().optional(),
  command: z.string().optional(),
})
const event = z.tuple([z.number(), z.string(), z.string()])

/** Version 2 has no event for the end of the program. */
const codesOfVersion2 = new Set(['o', 'i', 'm', 'r'])

export function toAsciicastV2(recording: string): string {
  const [first = '', ...lines] = recording.split('\n')
  const { term, ...about } = header.parse(JSON.parse(first))
  // In whole milliseconds, since rounding errors would add up.
  let clockMs = 0
  const events = lines.flatMap((line) => {
    if (line === '') return []
    const [interval, code, data] = event.parse(JSON.parse(line))
    clockMs += Math.round(interval * 1000)
    return codesOfVersion2.has(code) ? [JSON.stringify([clockMs / 1000, code, data])] : []
  })
  const env = term.type === undefined ? {} : { env: { TERM: term.type } }
  const head = JSON.stringify({ version: 2, width: term.cols, height: term.rows, ...about, ...env })
  return `${[head, ...events].join('\n')}\n`
}
