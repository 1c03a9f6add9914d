/** Reads the output of a session from its first byte to its end, with the same long poll as the page. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Endpoint, modernRequest } from '../harness/modern-call.ts'

export interface AllOutput {
  readonly bytes: Buffer
  /** SHA-256 */
  readonly digest: string
}

const answerSchema = z.object({ content: z.tuple([z.object({ text: z.string() })]) })
const outputSchema = z.object({
  data: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  offset: z.number(),
  next_offset: z.number(),
  dropped: z.number().optional(),
  ended: z.boolean().optional(),
})

/** Throws if output was dropped. */
export async function readAllOutput(hub: Endpoint, session: string): Promise<AllOutput> {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  for (let since = 0; ;) {
    const output = await readOutput(hub, { session, since, max_bytes: 1_048_576 })
    if (output.dropped !== undefined) throw new Error(`${output.dropped} bytes were dropped at ${since}`)
    const bytes = Buffer.from(output.data, output.encoding)
    hash.update(bytes)
    pieces.push(bytes)
    since = output.next_offset
    if (output.ended && bytes.length === 0) return { bytes: Buffer.concat(pieces), digest: hash.digest('hex') }
  }
}

export async function readOutput(
  hub: Endpoint,
  args: Readonly<Record<string, unknown>>,
): Promise<z.output<typeof outputSchema>> {
  const answer = await modernRequest(hub, 'tools/call', { name: 'read_output', arguments: args })
  return outputSchema.parse(JSON.parse(answerSchema.parse(answer).content[0].text))
}
