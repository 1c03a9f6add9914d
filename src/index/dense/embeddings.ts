/** A server that turns texts into vectors, with the embeddings API of OpenAI. */
import { z } from 'zod'
import { HubError, messageOf } from '../../base/hub-error.ts'

export interface Embeddings {
  /** The part before `/embeddings`, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
}

/** The models that are usually served take 512 tokens or more; the beginning of a definition says what it is. */
export const maxTextCharacters = 2_000

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()).min(1) })),
})

/** One vector of length 1 for each text. The message of an error never holds the key. */
export async function embed(
  { url, model, key }: Embeddings,
  texts: readonly string[],
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<readonly Float32Array[]> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  try {
    const response = await fetch(`${url.replace(/\/+$/, '').replace(/\/embeddings$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, maxTextCharacters)) }),
      // A key must not follow to another place.
      redirect: 'error',
      signal: options.signal ? AbortSignal.any([timeout, options.signal]) : timeout,
    })
    if (!response.ok) throw new Error(`the server answers ${response.status}`)
    const { data } = answerSchema.parse(await response.json())
    const vectors = data
      .map(({ index, embedding }, position) => ({ at: index ?? position, vector: unit(embedding) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ vector }) => vector)
    if (vectors.length !== texts.length) throw new Error(`it sent ${vectors.length} vectors for ${texts.length} texts`)
    if (vectors.some(({ length }) => length !== vectors[0]!.length)) throw new Error('its vectors differ in length')
    return vectors
  } catch (error) {
    options.signal?.throwIfAborted()
    const reason = error instanceof z.ZodError ? 'its answer is not one of an embeddings API' : reasonOf(error)
    throw new HubError('unavailable', `The embeddings server cannot be used: ${reason}. The search uses words only.`)
  }
}

/** `fetch` hides why it failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? messageOf(error) : messageOf(cause) || messageOf(error)
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}
