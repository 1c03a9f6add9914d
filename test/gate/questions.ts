/** What tests of upstreams that ask have in common: the question, the call in which it is asked, what came of it. */
import type { Answer } from '../http/exchange.ts'

export const able = { elicitation: {}, sampling: {}, roots: {} }
export const question = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object' } },
}
export const accepted = { action: 'accept', content: { sure: true } }

/** A call of `up_script` that takes these steps. */
export function script(steps: readonly object[], more: object = {}) {
  return { name: 'up_script', arguments: { steps, ...more } }
}

/** What the upstream was answered to its questions, as it says at the end of the call. */
export function heardIn(message: unknown): unknown {
  const { result } = message as { result: { content: { text: string }[] } }
  return (JSON.parse(result.content[0]!.text) as { heard: unknown }).heard
}

export function namesIn({ body }: Answer): readonly string[] {
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}
